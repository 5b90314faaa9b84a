"""Grade one response: text or a raw response and its target in, a grade out. No network, no files."""
