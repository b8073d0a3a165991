"""The numberlink generator: random paths that fill the board, kept if their ends alone say which paths they are.

Every cell begins as a path of its own. Paths whose ends are neighbours join; where they cannot, one takes the last cell
of the other and so opens new ways to join: they get longer and fewer. No path may touch itself: where cells may stay
empty, it would have a short cut, and so a second answer.
"""

from itertools import pairwise

import numpy as np

from ...core.errors import BadUsage
from ...core.puzzle import Assignment
from ..engine import Search, grade
from ..making import DIFFICULTIES
from ..model import Model
from .numberlink import MOST_LABEL, Making, Numberlink
from .slitherlink_lattice import Lattice, lattice

TRIES = 300  # boards until one has a single answer and is as difficult as asked
ROUNDS = (4, 10, 30)  # times that every link is looked at, on average: more for fewer, longer paths, which are harder
GLANCE, PATIENCE = 20_000, 200_000  # constraints run: most boards show a second answer soon; what a proof may cost
SHORTEST = 3  # cells that a path keeps when another takes from it


def make(settings: Making, seed: int) -> tuple[Numberlink, Assignment]:
    """A puzzle of the wanted difficulty with exactly one answer."""
    rng = np.random.default_rng(seed)
    rows, cols, wanted = settings.rows, settings.cols, DIFFICULTIES.index(settings.difficulty)
    grid = lattice(rows, cols)
    for _ in range(TRIES):
        paths = random_paths(grid, ROUNDS[wanted], rng)
        if not all(len(path) > 1 for path in paths) or len(paths) > MOST_LABEL:
            continue
        labels, links = [0] * (rows * cols), [0] * len(grid.ends)
        for label, path in enumerate(paths, start=1):
            labels[path[0]] = labels[path[-1]] = label
            for pair in pairwise(path):
                links[grid.ends.index((min(pair), max(pair)))] = 1
        puzzle = Numberlink(rows, cols, tuple(labels), settings.fill)
        if fits(puzzle.model(), wanted):
            return puzzle, Assignment(tuple(links))
    raise BadUsage(
        f"none of {TRIES} boards of {rows}x{cols} cells made a numberlink puzzle that is {settings.difficulty}: "
        "ask for another seed, size or difficulty"
    )


def fits(model: Model, wanted: int) -> bool:
    """Whether a model has one answer, to be found with just this effort; False too if that takes long to prove."""
    search = Search(model)
    if wanted == DIFFICULTIES.index("easy") and search.decided < model.answers:
        return False
    advance(search, GLANCE)
    if search.answers > 1 or grade(model) != wanted:
        return False
    if wanted < DIFFICULTIES.index("hard"):
        return True  # what follows without a guess is the only answer
    advance(search, PATIENCE)
    return search.exhausted and search.answers == 1


def advance(search: Search, runs: int) -> None:
    """Search until there is a second answer, or no other, or so many constraints have run."""
    while not search.exhausted and search.answers < 2 and search.runs < runs:
        search.advance(GLANCE)


def random_paths(grid: Lattice, rounds: int, rng: np.random.Generator) -> list[list[int]]:
    """Paths that together fill the board and do not touch themselves, by their first end; some may be single cells."""
    near = [
        [other for link in links for other in grid.ends[link] if other != cell] for cell, links in enumerate(grid.at)
    ]
    path_of = [[cell] for cell in range(len(near))]

    def join(a: int, b: int) -> bool:
        """Make one path of two, from the end of one to the end of the other."""
        one, other = path_of[a], path_of[b]
        if sum(path_of[cell] is other for member in one for cell in near[member]) > 1:
            return False
        joined = (one if one[-1] == a else one[::-1]) + (other if other[0] == b else other[::-1])
        for cell in joined:
            path_of[cell] = joined
        return True

    def take(a: int, b: int) -> None:
        """Lengthen a path by the last cell of another."""
        one, other = path_of[a], path_of[b]
        if len(other) > SHORTEST and sum(path_of[cell] is one for cell in near[b]) == 1:
            other.remove(b)
            one.insert(len(one) if one[-1] == a else 0, b)
            path_of[b] = one

    looks = rounds * len(grid.ends)
    for link, turned in zip(rng.integers(len(grid.ends), size=looks), rng.random(looks) < 0.5, strict=True):
        a, b = grid.ends[link][:: -1 if turned else 1]
        one, other = path_of[a], path_of[b]
        if one is not other and a in (one[0], one[-1]) and b in (other[0], other[-1]) and not join(a, b):
            take(a, b)
    found = {min(path[0], path[-1]): path for path in path_of}
    return [found[first] for first in sorted(found)]
