"""Sudoku in plain Python, as P. Norvig described it in "Solving every sudoku puzzle" (2006): two rules of elimination,
then the cell with the fewest candidates, depth first. What a programmer writes in an evening."""

from compare_tools_shapes import Answer, Json, givens, units

Candidates = dict[int, set[int]]


class Sudoku:
    """Which cells share a unit, and which units."""

    def __init__(self, puzzle: Json) -> None:
        self.n = puzzle["n"]
        every = units(puzzle)
        self.units = {cell: [unit for unit in every if cell in unit] for cell in range(self.n**2)}
        self.peers = {cell: {other for unit in self.units[cell] for other in unit} - {cell} for cell in self.units}

    def assign(self, candidates: Candidates, cell: int, number: int) -> bool:
        """Leave a cell nothing but this number; False if that cannot be."""
        return all(self.eliminate(candidates, cell, other) for other in candidates[cell] - {number})

    def eliminate(self, candidates: Candidates, cell: int, number: int) -> bool:
        """Strike a candidate, and what follows from that: a single candidate is none of its peers', and a number with a
        single place left in a unit goes there."""
        if number not in candidates[cell]:
            return True
        candidates[cell].discard(number)
        if not candidates[cell]:
            return False
        if len(candidates[cell]) == 1:
            (last,) = candidates[cell]
            if not all(self.eliminate(candidates, peer, last) for peer in self.peers[cell]):
                return False
        for unit in self.units[cell]:
            places = [place for place in unit if number in candidates[place]]
            if not places or (len(places) == 1 and not self.assign(candidates, places[0], number)):
                return False
        return True

    def search(self, candidates: Candidates) -> Candidates | None:
        """Depth first, the cell with the fewest candidates first."""
        cell = min((c for c in candidates if len(candidates[c]) > 1), key=lambda c: len(candidates[c]), default=None)
        if cell is None:
            return candidates
        for number in sorted(candidates[cell]):
            copy = {c: set(left) for c, left in candidates.items()}
            if self.assign(copy, cell, number) and (found := self.search(copy)):
                return found
        return None


def sudoku(puzzle: Json) -> Answer:
    """The first answer."""
    rules = Sudoku(puzzle)
    candidates = {cell: set(range(1, rules.n + 1)) for cell in range(rules.n**2)}
    told = ((cell, number) for cell, number in enumerate(givens(puzzle)) if number)
    if not all(rules.assign(candidates, cell, number) for cell, number in told):
        return None
    found = rules.search(candidates)
    return found and {"values": [next(iter(found[cell])) for cell in range(rules.n**2)]}
