"""Picture puzzles: square or rectangular pieces of a picture, put together again by what they show."""
