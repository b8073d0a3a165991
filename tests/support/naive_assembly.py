"""The assembler once more, on pictures that are turned and looked at, and on dictionaries of cells: what its kernels
are held against. Shares no code with them."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from dovetail.jigsaw.cutting import listed
from dovetail.jigsaw.edges import lab
from dovetail.jigsaw.puzzle import Jigsaw

from . import naive_jigsaw as naive
from .naive_jigsaw import EAST, NORTH, SIDES, SOUTH, WEST, Cell, Line, Rim, beyond, facing

PERIOD = 16  # pixels after which a grid begins anew

Picture = NDArray[np.int64]
Laid = dict[Cell, int]  # where poses lie
Motion = tuple[bool, int]  # turned over like a page or not, then so many quarters counter-clockwise


# one piece, and how it looks


def side_of(picture: Picture, side: int) -> list[int]:
    """What is at a side, clockwise."""
    lines = {NORTH: picture[0], EAST: picture[:, -1], SOUTH: picture[-1, ::-1], WEST: picture[::-1, 0]}
    return [int(number) for number in lines[side]]


class Piece:
    """With one face or two. All is found by looking at pixels, no two of which are alike; nothing is reckoned."""

    def __init__(self, sides: int) -> None:
        self.span = 4 * sides
        self.faces = np.random.default_rng(1).permutation(9 * sides).reshape(sides, 3, 3)

    def shown(self, pose: int) -> Picture:
        return np.rot90(self.faces[pose // 4], pose % 4)

    def through(self, pose: int) -> Picture:
        """What is underneath, as if the piece were of glass."""
        return np.rot90(self.faces[1 - pose // 4][:, ::-1], pose % 4)

    def looking(self, picture: Picture) -> int:
        (pose,) = [pose for pose in range(self.span) if np.array_equal(self.shown(pose), picture)]
        return pose

    @cache  # noqa: B019 (there are two of them)
    def edge_at(self, pose: int, side: int) -> int:
        (edge,) = [e for e in SIDES if side_of(self.faces[pose // 4], e) == side_of(self.shown(pose), side % 4)]
        return pose // 4 * 4 + edge

    @cache  # noqa: B019
    def spun(self, pose: int, turn: int) -> int:
        return self.looking(np.rot90(self.shown(pose), turn))

    @cache  # noqa: B019
    def flipped(self, pose: int) -> int:
        return self.looking(self.through(pose)[:, ::-1])

    @cache  # noqa: B019
    def behind(self, edge: int) -> int:
        """The edge whose pixels lie beneath this one's."""
        beneath = set(side_of(self.through(edge // 4 * 4), edge % 4))
        other = 1 - edge // 4
        (found,) = [e for e in SIDES if set(side_of(self.faces[other], e)) == beneath]
        return 4 * other + found

    @cache  # noqa: B019
    def may_face(self, edge: int, other: int, turns: Sequence[int]) -> bool:
        """Whether two pieces can lie so that these edges touch."""
        ours, theirs = ({s for pose in turns for s in SIDES if self.edge_at(pose, s) == e} for e in (edge, other))
        return any(facing(side) in theirs for side in ours)


@cache
def piece(sides: int) -> Piece:
    return Piece(sides)


# pieces together


def split(number: int, span: int) -> tuple[int, int]:
    """The piece of a pose or an edge, and which of its own it is."""
    return divmod(number, span)


@dataclass(frozen=True)
class Odds:
    """What seams weigh, and holes."""

    sides: int
    firsts: tuple[int, ...]  # of each piece the first that looks like it
    weights: dict[tuple[int, int], int]  # of edges of such pieces that face each other, either way round
    worst: int
    hole: int
    lies: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)  # poses, by pixels to lines: left, top
    size: tuple[int, int] = (0, 0)  # width and height of a piece, in pixels
    lines: tuple[int, int] = (0, 0)  # how far those of the grid lie from the left and top of row and column 0

    @property
    def span(self) -> int:
        return 4 * self.sides

    def edge_at(self, pose: int, side: int) -> int:
        number, own = split(pose, self.span)
        return number * self.span + piece(self.sides).edge_at(own, side)

    def first(self, number: int) -> int:
        """A pose or an edge of the first piece that looks like this one."""
        whose, own = split(number, self.span)
        return self.firsts[whose] * self.span + own

    def pair(self, pose: int, other: int, side: int) -> tuple[int, int]:
        """Under what their seam is listed, if it is."""
        return self.first(self.edge_at(pose, side)), self.first(self.edge_at(other, facing(side)))

    def seam(self, pose: int, other: int, side: int) -> int:
        return self.weights.get(self.pair(pose, other, side), self.worst)

    def stands(self, pose: int, cell: Cell) -> int:
        """What a pose weighs by the lines nearest to the left and top of its cell."""
        if not self.lies:
            return 0
        lies = self.lies[self.first(pose)]
        return sum(
            own[(line - length * at) % PERIOD]
            for own, line, length, at in zip(lies, self.lines, self.size, cell[::-1], strict=True)
        )

    def told(self, laid: Laid, axis: int) -> list[int]:
        """What pieces weigh together, wherever lines lie along an axis."""
        return [
            sum(
                self.lies[self.first(pose)][axis][(line - self.size[axis] * cell[1 - axis]) % PERIOD]
                for cell, pose in laid.items()
            )
            for line in range(PERIOD)
        ]

    def disagreement(self, laid: Laid, other: Laid) -> int:
        """How much less two islands weigh on one grid than each on its own."""
        loss = 0
        for axis in range(2) if self.lies else ():
            ours, theirs = self.told(laid, axis), self.told(other, axis)
            loss += max(ours) + max(theirs) - max(a + b for a, b in zip(ours, theirs, strict=True))
        return loss

    def total(self, laid: Laid, empty: Iterable[Cell]) -> int:
        """Every seam once, every hole as often as pieces look into it, and every piece as it lies on the grid."""
        seams = sum(
            self.seam(pose, laid[beyond(cell, side)], side)
            for cell, pose in laid.items()
            for side in (EAST, SOUTH)
            if beyond(cell, side) in laid
        )
        seams += sum(self.stands(pose, cell) for cell, pose in laid.items())
        return seams + self.hole * sum(beyond(cell, side) in laid for cell in empty for side in SIDES)

    def moved(self, pose: int, motion: Motion) -> int:
        number, own = split(pose, self.span)
        if motion[0]:
            own = piece(self.sides).flipped(own)
        return number * self.span + piece(self.sides).spun(own, motion[1])

    def motions(self) -> list[Motion]:
        return [(over, turn) for over in (False, True)[: self.sides] for turn in range(4)]


def behind(edge: int, sides: int) -> int:
    number, own = split(edge, 4 * sides)
    return number * 4 * sides + piece(sides).behind(own)


def random_odds(firsts: Sequence[int], sides: int, turns: Sequence[int], density: float, seed: int) -> Odds:
    """Some pairs of edges that can touch weigh something; those of two faces as much on either."""
    chance, one, span = random.Random(seed), piece(sides), 4 * sides
    weights: dict[tuple[int, int], int] = {}
    edges = [number * span + own for number in sorted(set(firsts)) for own in range(span)]
    for edge, other in combinations_with_replacement(edges, 2):
        if edge // span == other // span and firsts.count(edge // span) == 1:
            continue
        if (edge, other) in weights or chance.random() > density or not one.may_face(edge % span, other % span, turns):
            continue
        weight = chance.randrange(-300, 600)
        pairs = [(edge, other)] if sides == 1 else [(edge, other), (behind(edge, sides), behind(other, sides))]
        for a, b in pairs:
            weights[a, b] = weights[b, a] = weight
    lies: dict[int, tuple[list[int], list[int]]] = {}
    if sides == 1:  # there is no grid with two faces
        for pose in edges:
            left, top = ([-chance.randrange(200) for _ in range(PERIOD)] for _ in range(2))
            lies[pose] = left, top
    return Odds(sides, tuple(firsts), weights, -320, -128, lies, (5, 5) if len(turns) > 2 * sides else (12, 7), (3, 14))


def moved_cell(cell: Cell, motion: Motion) -> Cell:
    """About the origin: over, left is right; a quarter counter-clockwise, what was at the right is on top."""
    row, col = cell
    if motion[0]:
        col = -col
    for _ in range(motion[1]):
        row, col = -col, row
    return row, col


def moved(odds: Odds, laid: Laid, motion: Motion) -> Laid:
    return {moved_cell(cell, motion): odds.moved(pose, motion) for cell, pose in laid.items()}


def box_of(cells: Iterable[Cell]) -> tuple[int, int, int, int]:
    """Top, bottom, left, right."""
    rows, cols = zip(*cells, strict=True)
    return min(rows), max(rows), min(cols), max(cols)


def contact(odds: Odds, island: Laid, target: Laid, edge: int, other: int) -> tuple[Laid, int, int] | None:
    """An island moved so that its edge faces another, what its seams with the target weigh, and how many they are.

    None where they would overlap. Of all ways to move it, the one that makes the edges touch is tried out.
    """
    (there,) = [cell for cell, pose in target.items() if pose // odds.span == other // odds.span]
    (side,) = [s for s in SIDES if odds.edge_at(target[there], s) == other]
    for motion in odds.motions():
        turned = moved(odds, island, motion)
        (here,) = [cell for cell, pose in turned.items() if pose // odds.span == edge // odds.span]
        if odds.edge_at(turned[here], facing(side)) != edge:
            continue
        goal = beyond(there, side)
        placed = {(r + goal[0] - here[0], c + goal[1] - here[1]): pose for (r, c), pose in turned.items()}
        if placed.keys() & target.keys():
            return None
        touching = [
            odds.seam(pose, target[beyond(cell, s)], s)
            for cell, pose in placed.items()
            for s in SIDES
            if beyond(cell, s) in target
        ]
        return placed, sum(touching) - odds.disagreement(placed, target), len(touching)
    raise AssertionError("the edges of two pieces can always be made to touch")


def exchanged(
    odds: Odds, laid: Laid, empty: set[Cell], block: set[Cell], start: Cell, target: Cell, motion: Motion
) -> Laid | None:
    """A block moved so that ``start`` comes to ``target``, what lay there moved back; None where it cannot."""
    goes = {}
    for cell in block:
        down, across = moved_cell((cell[0] - start[0], cell[1] - start[1]), motion)
        goes[cell] = (target[0] + down, target[1] + across)
    room = laid.keys() | empty
    if any(cell in block or cell not in room for cell in goes.values()):
        return None
    new = {cell: pose for cell, pose in laid.items() if cell not in goes and cell not in goes.values()}
    for here, there in goes.items():
        if here in laid:
            new[there] = odds.moved(laid[here], motion)
        if there in laid:
            first = laid[there] // odds.span * odds.span
            poses = range(first, first + odds.span)
            (new[here],) = [pose for pose in poses if odds.moved(pose, motion) == laid[there]]
    return new


def grown(
    odds: Odds, laid: Laid, empty: set[Cell], limits: tuple[int, int], either: bool, least: int, eager: int
) -> tuple[Laid, bool]:
    """Always the piece laid that weighs most with its neighbours, of all places; and whether it was always but one."""
    laid, empty, sure = dict(laid), set(empty), True
    while True:
        left = set(range(len(odds.firsts))) - {pose // odds.span for pose in laid.values()}
        offers = []
        for cell in empty:
            near = [(side, laid[beyond(cell, side)]) for side in SIDES if beyond(cell, side) in laid]
            top, bottom, first, last = box_of([*laid, cell])
            size = bottom - top + 1, last - first + 1
            held = [all(a <= b for a, b in zip(size, most, strict=True)) for most in (limits, limits[::-1])]
            if near and (held[0] or (either and held[1])):
                found = wanted(odds, near, left, cell)
                offers += [(weight + len(near) * eager, cell, pose) for weight, pose in found if weight > least]
        if not offers:
            return laid, sure
        gain, cell, pose = max(offers)
        sure &= len({(place, odds.first(other)) for weight, place, other in offers if weight == gain}) == 1
        laid[cell] = pose
        empty.remove(cell)


def wanted(odds: Odds, near: Sequence[tuple[int, int]], left: Iterable[int], cell: Cell) -> list[tuple[int, int]]:
    """What each pose weighs in a cell beside these neighbours, if one of them lists it; unlisted seams one less than
    worst.
    """
    offers = []
    for pose in (number * odds.span + own for number in left for own in range(odds.span)):
        pairs = [odds.pair(pose, other, side) for side, other in near]
        if any(pair in odds.weights for pair in pairs):
            weight = sum(odds.weights.get(pair, odds.worst - 1) for pair in pairs)
            offers.append((weight + odds.stands(pose, cell), pose))
    return offers


# what is measured of two edges


def faces_of(puzzle: Jigsaw) -> Jigsaw:
    """Every face a piece of its own."""
    return listed(puzzle.faces.reshape(-1, puzzle.height, puzzle.width, puzzle.channels))


def clockwise(faces: Jigsaw, edge: int, behind: int) -> Line:
    """The pixels of an edge, so many lines behind the outermost; the last line again where there are no more."""
    depth = faces.height if edge % 2 == 0 else faces.width
    line = naive.line(faces, edge // 4, edge % 4, min(behind, depth - 1))
    return line if edge % 4 in (NORTH, EAST) else line[::-1]


def mgc(faces: Jigsaw, edge: int, other: int, along: bool) -> float:
    ours, theirs = (Rim(clockwise(faces, e, 0), clockwise(faces, e, 1)) for e in (edge, other))
    return naive.mgc_sum(ours, Rim(theirs.outer[::-1], theirs.inner[::-1]), along)


def measured(faces: Jigsaw, edge: int, other: int, steps: int, segments: int) -> list[float]:
    """The eight measures, each as its name says."""
    across = mgc(faces, edge, other, along=False)
    bands = [
        [lab(np.array([clockwise(faces, e, behind)], np.float32), steps)[0].astype(float) for behind in range(8)]
        for e in (edge, other)
    ]
    ours, theirs = ([tuple(pixel) for pixel in lines[0]] for lines in bands)
    our_inner, their_inner = ([tuple(pixel) for pixel in lines[1]] for lines in bands)
    one, two = Rim(ours, our_inner), Rim(theirs[::-1], their_inner[::-1])
    means = [_means([line / steps for line in lines], segments) for lines in bands]
    apart = [float(((a - b[::-1]) ** 2).sum()) for a, b in zip(*means, strict=True)]
    return [
        across,
        mgc(faces, edge, other, along=True) - across,
        naive.prediction_sum(one, two),
        naive.lab_sum(one, two) / steps**2,
        *apart,
    ]


def _means(lines: list[NDArray[np.float64]], segments: int) -> list[NDArray[np.float64]]:
    """Of segments and of the whole edge: near the rim, and carried on to the rim from behind."""
    parts = [np.repeat(line, segments, axis=0).reshape(segments, -1, 3).mean(axis=1) for line in lines]
    wholes = [line.mean(axis=0, keepdims=True) for line in lines]
    near, far = (parts[0] + parts[1]) / 2, (parts[2] + parts[3]) / 2
    outer, inner = sum(wholes[:4]) / 4, sum(wholes[4:8]) / 4
    return [near, near + (near - far) / 2, (wholes[0] + wholes[1]) / 2, outer + (outer - inner) / 2]


# how sure a pair is

Lists = dict[int, list[int]]  # candidates of each edge
Measures = dict[tuple[int, int], list[float]]


def logarithms(values: Sequence[float], floors: Sequence[float]) -> list[float]:
    """The sum of the first two, then each; so much is noise."""
    judged = [values[0] + values[1], *values]
    return [math.log(value + floor) for value, floor in zip(judged, floors, strict=True)]


def standing(
    lists: Lists, values: Measures, edge: int, other: int, floors: Sequence[float], taught: Sequence[float], clip: float
) -> list[float]:
    """Against the best rival of either edge: mean and larger difference; and most of the measures themselves, with the
    floors that were taught.
    """

    def rival(ours: int, than: int, measure: int) -> float:
        others = [logarithms(values[ours, e], floors)[measure] for e in lists[ours] if e != than]
        return min(others, default=logarithms(values[ours, than], floors)[measure])

    def clipped(number: float) -> float:
        return min(max(number, -clip), clip)

    told, own = [], logarithms(values[edge, other], taught)
    for measure, value in enumerate(logarithms(values[edge, other], floors)):
        mine, theirs = rival(edge, other, measure), rival(other, edge, measure)
        told += [clipped(value - (mine + theirs) / 2), clipped(max(value - mine, value - theirs))]
        if measure not in (1, 2):  # the sum says those
            told.append(own[measure])
    return told


def gathered(lists: Lists, weights: dict[tuple[int, int], int], sides: int, worst: int, most: int) -> Lists:
    """What each edge's pairs weigh, heaviest first: listed by either edge; of two faces, those of both added up."""
    pairs = {(a, b) for edge, others in lists.items() for other in others for a, b in ((edge, other), (other, edge))}
    if sides == 2:
        pairs |= {(behind(a, 2), behind(b, 2)) for a, b in pairs}
    heavy: Lists = {edge: [] for edge in lists}
    for a, b in pairs:
        faces = [(a, b)] if sides == 1 else [(a, b), (behind(a, 2), behind(b, 2))]
        heavy[a].append(sum(weights.get(pair, worst // sides) for pair in faces))
    return {edge: sorted(found, reverse=True)[:most] for edge, found in heavy.items()}


Sorted = dict[int, list[tuple[int, int]]]  # candidates of each edge and what they weigh, heaviest first


def square(odds: Odds, lists: Sorted, edge: int, other: int, below: bool, named: int) -> int:
    """Two pieces side by side, edge to edge, and two more below or above them: what the other three seams weigh."""

    def laid(shown: int, side: int) -> int:
        own = range(4 * (shown // 4), 4 * (shown // 4) + 4)
        return next(pose for pose in own if odds.edge_at(pose, side) == shown)

    side = SOUTH if below else NORTH
    left, right = laid(edge, EAST), laid(other, WEST)
    best = 3 * odds.worst
    for third, one in lists[odds.edge_at(left, side)][:named]:
        for fourth, two in lists[odds.edge_at(right, side)][:named]:
            if len({edge // 4, other // 4, third // 4, fourth // 4}) == 4:
                poses = laid(third, facing(side)), laid(fourth, facing(side))
                best = max(best, one + two + odds.seam(*poses, EAST))
    return best


def looped(
    lists: Sorted, start: dict[tuple[int, int], int], closed: dict[tuple[int, int], list[int]], edge: int, other: int
) -> list[float]:
    """First odds and present ones, better and worse square; rivals by the odds, and by those with squares; how many."""
    present = {(e, o): weight / 64 for e, others in lists.items() for o, weight in others}
    better, worse = ({pair: max(f(of) / 64, -24) for pair, of in closed.items()} for f in (max, min))
    both = {pair: present[pair] + better[pair] / 2 + 0.15 * worse[pair] for pair in present}

    def against(scores: dict[tuple[int, int], float]) -> list[float]:
        mine, theirs = (
            max([scores[ours, o] for o, _ in lists[ours] if o != than], default=-60.0)
            for ours, than in ((edge, other), (other, edge))
        )
        value = scores[edge, other]
        return [min(max(apart, -20), 20) for apart in (value - (mine + theirs) / 2, value - max(mine, theirs))]

    pair = edge, other
    size = math.log(len(lists))
    return [start[pair] / 64, present[pair], better[pair], worse[pair], *against(present), *against(both), size]
