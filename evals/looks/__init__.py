"""Runs that may stop early: what they declare, and when they are decided."""
