"""What each command takes and says of itself: read for ``--help``, so nothing here imports what the work needs."""
