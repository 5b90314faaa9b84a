"""Where runs and finished exchanges lie: journals, run directories, object storage."""
