"""The confidence of an interval where nobody names another."""

DEFAULT_CONFIDENCE = 0.95
