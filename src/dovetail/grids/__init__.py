"""Logic grids: a puzzle declares variables, domains and constraints once; tree search and exact engines solve it."""
