"""One run dealt over several processes: what each asks, where it keeps it, how it becomes one run again."""
