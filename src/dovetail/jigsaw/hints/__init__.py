"""What a person knows of an answer."""
