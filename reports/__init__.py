"""From logs to a verdict to a page: files in, files out; no endpoint, no dataset, no GPU."""
