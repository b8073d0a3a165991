"""Sokoban by pushes: what can never be solved, what a position is worth, and two searches; behind the solver `push`."""
