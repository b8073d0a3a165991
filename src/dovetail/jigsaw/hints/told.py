"""What a person knows of an answer before there is one: where a piece lies, who its neighbours are, and who are not.

Hints are told beside a puzzle and are no part of it: its digest stays as it is. Rows and columns are counted from 0
here and from 1 in words; pieces are counted from 0 everywhere, as solutions and checker count them. A neighbour's side
is that of the piece as the puzzle lists it, and its turn is how it lies then.

Hints that fix how pieces lie to each other make *groups* of them; that is where contradictions show.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...core.errors import BadInput
from ...core.puzzle import Placement

if TYPE_CHECKING:
    from ..puzzle import Jigsaw

SIDES = ("above", "right", "below", "left")  # clockwise
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # rows and columns to the neighbour there
MOST_CITED = 3  # hints that one sentence names


@dataclass(frozen=True)
class Pin:
    """A piece lies in a cell; without a frame, cells only say how pins lie to each other."""

    piece: int
    row: int
    col: int
    turn: int | None  # None where nobody knows
    said: str = field(compare=False)  # which hint this is, in words


@dataclass(frozen=True)
class Beside:
    """Two pieces are neighbours (or, of those that are apart, are not)."""

    piece: int
    other: int
    side: int | None  # of the piece as listed, where the other lies; None: any
    turn: int | None  # of the other, when the piece lies as listed; None: any
    said: str = field(compare=False)


class Lies(NamedTuple):
    """How a piece lies in a group."""

    row: int
    col: int
    turn: int


@dataclass(frozen=True)
class Group:
    """Pieces that lie to each other in one way only; in which cells, if it is anchored."""

    members: dict[int, Lies]
    anchored: bool
    cited: dict[int, tuple[str, ...]]  # the hints that led to each


@dataclass(frozen=True)
class Told:
    """All hints, and the earlier answer that some of them come from, if it is whole."""

    pins: tuple[Pin, ...] = ()
    neighbours: tuple[Beside, ...] = ()
    apart: tuple[Beside, ...] = ()
    earlier: Placement | None = None

    def __bool__(self) -> bool:
        return bool(self.pins or self.neighbours or self.apart)


Link: TypeAlias = tuple[int, Lies, str]  # a neighbour, how it lies when this piece lies as listed at 0, 0; the hint


def turned_over(turn: int, motion: int) -> int:
    """How a piece lies once what it is part of is turned over like a page, if ``motion`` is 4 or more, and turned."""
    if motion >= 4:
        turn = -turn % 4 + 4 * (turn < 4)
    return (turn + motion) % 4 + turn // 4 * 4


def carried(lies: Lies, by: Lies) -> Lies:
    """Where a piece comes to lie when the one it is seen from, at 0, 0 as listed, lies so."""
    down, across = lies.row, -lies.col if by.turn >= 4 else lies.col
    for _ in range(by.turn % 4):
        down, across = -across, down
    return Lies(by.row + down, by.col + across, turned_over(lies.turn, by.turn))


def seen_from(lies: Lies) -> Lies:
    """How the piece at 0, 0 lies when that other one lies as listed."""
    motion = next(each for each in range(8) if turned_over(lies.turn, each) == 0)
    return carried(Lies(-lies.row, -lies.col, 0), Lies(0, 0, motion))


def links(puzzle: "Jigsaw", neighbours: Iterable[Beside]) -> dict[int, list[Link]]:
    """Of every piece the neighbours that are told with their side, and with their turn where they may be turned."""
    found: dict[int, list[Link]] = {}
    for hint in neighbours:
        turn = 0 if len(puzzle.turns) == 1 else hint.turn
        if hint.side is None or turn is None:
            continue
        lies = Lies(*STEPS[hint.side], turn)
        found.setdefault(hint.piece, []).append((hint.other, lies, hint.said))
        found.setdefault(hint.other, []).append((hint.piece, seen_from(lies), hint.said))
    return found


def groups(puzzle: "Jigsaw", told: Told) -> tuple[Group, ...]:
    """All groups of two pieces or more, and the anchored one first, if there is one; raises BadInput if none can be.

    Pins whose turn is not known anchor nothing yet.
    """
    _refuse_clashes(told.pins)
    linked = links(puzzle, told.neighbours)
    anchor = Group({}, True, {})
    for pin in told.pins:
        turn = 0 if len(puzzle.turns) == 1 else pin.turn
        if turn is not None:
            _add(anchor, pin.piece, Lies(pin.row, pin.col, turn), (pin.said,))
    grown = [_grown(puzzle, anchor, linked)] if anchor.members else []
    done = {piece for group in grown for piece in group.members}
    for piece in linked:
        if piece not in done:
            group = _grown(puzzle, Group({piece: Lies(0, 0, 0)}, False, {piece: ()}), linked)
            grown.append(group)
            done |= group.members.keys()
    for group in grown:
        _refuse_apart(puzzle, group, told.apart)
    return tuple(grown)


def own_hints(puzzle: "Jigsaw") -> tuple[Pin, ...]:
    """The hints that are part of a puzzle with gaps, as pins."""
    from ..gapped import Gapped

    if not isinstance(puzzle, Gapped):
        return ()
    assert puzzle.cols is not None
    cells = ((patch, divmod(cell, puzzle.cols)) for patch, cell in puzzle.hints)
    return tuple(
        Pin(patch, row, col, 0, f"the puzzle's own hint (patch {patch} at {place(row, col)})")
        for patch, (row, col) in cells
    )


def all_told(puzzle: "Jigsaw") -> Told:
    """What is told of a puzzle, and what it tells itself."""
    told = puzzle.hinted or Told()
    return replace(told, pins=(*own_hints(puzzle), *told.pins))


def _add(group: Group, piece: int, lies: Lies, cited: tuple[str, ...]) -> bool:
    """A piece into a group, unless it lies so already; raises BadInput if it lies otherwise, or another one does."""
    if piece in group.members:
        if group.members[piece] == lies:
            return False
        raise BadInput(
            f"the hints contradict each other: by {cite(group.cited[piece])}, piece {piece} lies otherwise than by "
            f"{cite(cited)}"
        )
    for other, there in group.members.items():
        if there[:2] == lies[:2]:
            by = cite((*group.cited[other], *cited))
            raise BadInput(
                f"the hints contradict each other: pieces {other} and {piece} would lie in one cell, by {by}"
            )
    group.members[piece], group.cited[piece] = lies, cited
    return True


def _grown(puzzle: "Jigsaw", group: Group, linked: dict[int, list[Link]]) -> Group:
    """With all that neighbours tell of it."""
    todo = list(group.members)
    for piece in todo:
        for other, lies, said in linked.get(piece, ()):
            if _add(group, other, carried(lies, group.members[piece]), (*group.cited[piece], said)):
                todo.append(other)
    _refuse_outside(puzzle, group)
    return group


def _refuse_clashes(pins: Iterable[Pin]) -> None:
    """One piece in two places, or two pieces in one, whatever their turns."""
    cells: dict[tuple[int, int], Pin] = {}
    pieces: dict[int, Pin] = {}
    for pin in pins:
        for other, what in (
            (pieces.get(pin.piece), f"piece {pin.piece} cannot lie in two places"),
            (cells.get((pin.row, pin.col)), f"two pieces cannot lie at {place(pin.row, pin.col)}"),
        ):
            same = other is not None and (other.piece, other.row, other.col) == (pin.piece, pin.row, pin.col)
            if other is not None and not (same and (None in (pin.turn, other.turn) or pin.turn == other.turn)):
                what = f"piece {pin.piece} cannot lie in two turns" if same else what
                raise BadInput(f"the hints contradict each other: {what}: {cite((other.said, pin.said))}")
        cells[pin.row, pin.col] = pieces[pin.piece] = pin


def _refuse_outside(puzzle: "Jigsaw", group: Group) -> None:
    """What does not fit the frame."""
    if puzzle.rows is None or puzzle.cols is None:
        return
    if group.anchored:
        for piece, lies in group.members.items():
            if not (0 <= lies.row < puzzle.rows and 0 <= lies.col < puzzle.cols):
                by = cite(group.cited[piece])
                raise BadInput(f"by {by}, piece {piece} would lie outside the frame of {puzzle.size}")
        return
    high, wide = (max(at) - min(at) + 1 for at in list(zip(*group.members.values(), strict=True))[:2])
    quarters = len({turn % 4 for turn in puzzle.turns}) == 4
    if not (high <= puzzle.rows and wide <= puzzle.cols) and not (
        quarters and high <= puzzle.cols and wide <= puzzle.rows
    ):
        every = cite(tuple(dict.fromkeys(said for cited in group.cited.values() for said in cited)))
        raise BadInput(f"the frame of {puzzle.size} does not hold {high}x{wide} pieces that belong together by {every}")


def _refuse_apart(puzzle: "Jigsaw", group: Group, apart: Iterable[Beside]) -> None:
    """Neighbours by some hints that are none by another."""
    for hint in apart:
        if hint.piece in group.members and hint.other in group.members and touching(group.members, hint):
            cited = cite((*group.cited[hint.piece], *group.cited[hint.other], hint.said), MOST_CITED + 1)
            raise BadInput(f"the hints contradict each other: pieces {hint.piece} and {hint.other} touch, by {cited}")


def touching(members: dict[int, Lies], hint: Beside) -> bool:
    """Whether the two pieces of a hint are neighbours, and so as it says."""
    return touches(members[hint.piece], members[hint.other], hint)


def touches(one: Lies, other: Lies, hint: Beside) -> bool:
    """The same of how they lie."""
    lies = carried_back(other, one)
    return (
        (lies.row, lies.col) in STEPS
        and hint.side in (None, STEPS.index((lies.row, lies.col)))
        and hint.turn in (None, lies.turn)
    )


def carried_back(other: Lies, one: Lies) -> Lies:
    """How another piece lies when this one lies as listed, at 0, 0."""
    motion = next(each for each in range(8) if turned_over(one.turn, each) == 0)
    return carried(Lies(other.row - one.row, other.col - one.col, other.turn), Lies(0, 0, motion))


def cite(said: Iterable[str], most: int = MOST_CITED) -> str:
    """Hints by their names, each once."""
    names = list(dict.fromkeys(said))
    shown = names[:most] if len(names) > most + 1 else names
    more = [f"{len(names) - len(shown)} more"] if len(names) > len(shown) else []
    return " and ".join([*shown, *more])


def place(row: int, col: int) -> str:
    """A cell in words."""
    return f"row {row + 1}, column {col + 1}"
