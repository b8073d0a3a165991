"""One file a puzzle."""
