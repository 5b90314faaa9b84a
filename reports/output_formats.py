"""The formats that reports and score tables are written in."""

REPORT_NAMES = {"html": "report.html", "md": "report.md", "junit": "junit.xml"}
SCORE_FORMATS = ("csv", "jsonl", "parquet")
