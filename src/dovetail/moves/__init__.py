"""Puzzles played move by move: what a move does depends on the moves before it."""
