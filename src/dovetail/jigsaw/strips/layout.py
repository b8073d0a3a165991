"""From orders of printed strips to whole pages: blank strips, lost ones, which way is up, pages side by side."""

from dataclasses import dataclass

import numpy as np

from ...core.puzzle import EMPTY, Placement
from .order import Links, Paths
from .puzzle import Strips
from .seams import Seams

RAGGED, EVEN = 4.0, 0.3  # what ragged ends of lines are worth, and by how many strips even ones differ
TIE = 0.2  # nats for strips that stand on their feet, where seams do not tell
# log chances of a page's shape, width by height: upright paper, from legal to letter and square photographs, or broad
SHAPES = ((0.72, 0.16, 0.0), (1.38, 0.16, -5.0))
ODD_SHAPE = -8.0


@dataclass(frozen=True)
class Bag:
    """The printed strips of a bag, and what there is to know of them."""

    puzzle: Strips
    seams: Seams
    printed: list[int]  # strips that have an order
    blank: list[int]  # strips that do not

    @property
    def links(self) -> Links:
        """For the search of an order."""
        turns = len(self.puzzle.turns)
        poses = np.concatenate([np.arange(strip * turns, (strip + 1) * turns) for strip in self.printed])
        upright = np.tanh(self.seams.upright[poses].astype(np.float64)) * TIE
        right = self.seams.right[np.ix_(poses, poses)].astype(np.float64) + upright
        start = self.seams.rim[2][poses].astype(np.float64) + upright
        return Links(right, start, self.seams.rim[0][poses].astype(np.float64), turns, self.puzzle.missing)

    def most(self, pages: int) -> int:
        """Strips of a page: pages are of one size, unless some are lost."""
        count = self.puzzle.count
        return count // pages if count % pages == 0 else -(-count * 23 // (pages * 20))


def sorted_out(puzzle: Strips, seams: Seams, pages: int) -> Bag:
    """Blank strips apart, if enough others are left."""
    printed = np.flatnonzero(~seams.blank).tolist()
    if len(printed) < max(2, pages):
        printed = [*range(puzzle.count)]
    return Bag(puzzle, seams, printed, sorted({*range(puzzle.count)} - {*printed}))


def shape_odds(puzzle: Strips, pages: int) -> float:
    """How likely paper is as wide and as high as a page would be, in nats."""
    wide = puzzle.count * puzzle.width / (pages * puzzle.down)
    ratio = wide / (puzzle.height * puzzle.down)
    usual = (odds - (np.log(ratio / usual) / spread) ** 2 / 2 for usual, spread, odds in SHAPES)
    return float(max(ODD_SHAPE, *usual))


def laid(bag: Bag, links: Links, paths: Paths) -> Placement:
    """Every page with its blank strips at the rims, as even as can be, and holes where strips seem to be lost."""
    puzzle = bag.puzzle
    turns = len(puzzle.turns)
    cells = puzzle.cols if puzzle.cols is not None else 0
    blank = [(strip, 0) for strip in bag.blank]
    pieces: list[int] = []
    lying: list[int] = []
    for page, path in enumerate(paths):
        shown = _upright(bag, path)
        row = [(bag.printed[pose // turns], puzzle.turns[pose % turns]) for pose in shown]
        if puzzle.missing:
            row = _with_holes(row, shown, links)
        last = page == len(paths) - 1
        room = (cells or bag.most(len(paths))) - len(row)
        share = len(blank) if last else max(0, min(room, len(blank)))
        own, blank = blank[:share], blank[share:]
        if cells:  # what is lost and nobody knows where may have been blank too
            own += [(EMPTY, 0)] * (room - len(own))
        left = _left_margin(bag, shown, len(own))
        row = [*own[:left], *row, *own[left:], *([] if last else [(EMPTY, 0)])]
        pieces += [strip for strip, _ in row]
        lying += [turn for _, turn in row]
    return Placement.from_flat(pieces, lying, len(pieces))


def _upright(bag: Bag, path: list[int]) -> list[int]:
    """The page as a whole turned, if its lines seem to stand on their heads."""
    ways = bag.puzzle.turns
    turns = len(ways)
    if not bag.puzzle.rotate:
        return path
    other = [ways.index((way + 2) % 4 + way // 4 * 4) for way in ways]
    turned = [pose // turns * turns + other[pose % turns] for pose in path[::-1]]
    return max((path, turned), key=lambda poses: _standing(bag, poses))


def _standing(bag: Bag, poses: list[int]) -> float:
    """By the feet of the letters, and by the lines, which begin below each other and end anywhere."""
    turns = len(bag.puzzle.turns)
    own = [bag.printed[pose // turns] * turns + pose % turns for pose in poses]
    inked = bag.seams.inked[own]
    rows = inked[:, inked.any(axis=0)]
    feet = float(bag.seams.upright[own].sum())
    if not rows.size:
        return feet
    starts, ends = (side.argmax(axis=0).std() for side in (rows, rows[::-1]))
    return feet + RAGGED * float(np.log((ends + EVEN) / (starts + EVEN)))


def _with_holes(row: list[tuple[int, int]], poses: list[int], links: Links) -> list[tuple[int, int]]:
    """A hole wherever one is likelier than the seam; those at the rims are added with the margins."""
    lost = links.lost(poses)
    filled: list[tuple[int, int]] = []
    for place, cell in enumerate(row):
        if place and place in lost:
            filled.append((EMPTY, 0))
        filled.append(cell)
    return filled


def _left_margin(bag: Bag, poses: list[int], blank: int) -> int:
    """How many of the blank strips belong to the left of a page, if its margins are about as wide as each other."""
    turns = len(bag.puzzle.turns)
    white = bag.seams.white
    first, last = (bag.printed[pose // turns] * turns + pose % turns for pose in (poses[0], poses[-1]))
    factor = max(1, round(bag.puzzle.height * bag.puzzle.down / 1400))
    width = max(1, bag.puzzle.width // factor)
    uneven = [abs(white[0, first] - white[1, last] + (2 * left - blank) * width) for left in range(blank + 1)]
    return int(np.argmin(uneven))
