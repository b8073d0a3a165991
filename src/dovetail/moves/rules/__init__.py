"""One file a game: its rules once more, compiled, for the searches. Nothing here is known to any checker."""
