"""Find out before a run whether an endpoint does what the run will rely on."""
