"""Edge-matching puzzles: tiles on a board whose touching sides must agree."""
