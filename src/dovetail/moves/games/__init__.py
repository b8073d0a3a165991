"""One file a game: its puzzle, its rules in plain Python for the checker, its pictures, samples and generator."""
