"""Checkpoints x tasks x presets: the order of their runs, their record, their comparisons."""
