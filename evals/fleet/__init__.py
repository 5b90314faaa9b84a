"""Several servers of one checkpoint: what they are, which is asked next, which rests."""
