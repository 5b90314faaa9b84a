"""One file a command; each holds the click command and calls one documented function."""
