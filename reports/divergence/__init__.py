"""How far a candidate's token probabilities have moved from the baseline's: figures from records on disk."""
