"""Run tasks against an endpoint; the command line."""
