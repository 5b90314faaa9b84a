"""report.html: one self-contained page from a report value; every text of a log is shown, never run."""
