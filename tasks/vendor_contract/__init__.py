"""The contract an endpoint must keep: probes as small values, and which of them each profile asks."""
