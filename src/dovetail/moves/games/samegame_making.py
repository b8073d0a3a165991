"""SameGame boards: such as can be cleared, made by putting groups in that leave as they came; or boards by chance."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from ...core.puzzle import Moves
from .samegame import CLEAR, SCORE, Making, SameGame, SameGamePlay

MOST_DOUBLED = 7  # of the groups that are taken away again where no other fits in: now few, now many


@dataclass(frozen=True)
class _Place:
    """Where a group may go in: upright so many blocks high, or lying (1 high) in this column and the next."""

    col: int
    height: int
    upright: int
    new: bool = False

    @property
    def cols(self) -> tuple[int, ...]:
        return (self.col, self.col + 1) if self.upright == 1 else (self.col,)


def made(settings: Making, seed: int) -> tuple[SameGame, Moves]:
    """A board and a play that reaches its goal."""
    rng = random.Random(f"samegame/{seed}")
    return _by_chance(settings, rng) if settings.random else _clearable(settings, rng)


def _by_chance(settings: Making, rng: random.Random) -> tuple[SameGame, Moves]:
    """The target is what a play that takes the smallest group first, and one colour last, makes of it."""
    rows, cols, colours = settings.height, settings.width, range(1, settings.colours + 1)
    cells = tuple(rng.choices(colours, k=rows * cols))
    play, moves = SameGamePlay(SameGame(rows, cols, cells, SCORE)), []
    last = max(colours, key=cells.count)
    while groups := play.groups():
        group = min(groups, key=lambda g: (play.colour(*min(g)) == last, len(g), min(g)))
        moves.append(play.write(group))
        play.make(moves[-1])
    return SameGame(rows, cols, cells, SCORE, play.points), Moves(tuple(moves))


def _clearable(settings: Making, rng: random.Random) -> tuple[SameGame, Moves]:
    rows, cols = settings.height, settings.width
    growing = _Growing(rows, cols, settings.colours, rng)
    while not growing.full:
        if not growing.grow():
            growing.shrink(2 ** rng.randint(0, MOST_DOUBLED))
    cells = tuple(growing.columns[col][rows - 1 - row] for row in range(rows) for col in range(cols))
    return SameGame(rows, cols, cells, CLEAR), Moves(tuple(reversed(growing.moves)))


class _Growing:
    """A board that fills up group by group, each of which could be taken away again at once."""

    def __init__(self, rows: int, cols: int, colours: int, rng: random.Random) -> None:
        self.rows, self.cols, self.colours, self.rng = rows, cols, colours, rng
        self.columns: list[list[int]] = []  # bottom up
        self.moves: list[str] = []  # that take the groups away again, the first one's last
        self._before: list[list[list[int]]] = []  # the columns before each of them

    @property
    def full(self) -> bool:
        return len(self.columns) == self.cols and all(len(column) == self.rows for column in self.columns)

    def grow(self) -> bool:
        """Put a group in, rather where there is much room; False if there is no place for one."""
        places = [place for place in self._places() if self._can_be_filled(place)]
        urge = {place: self._room(place) + 3 * self.rng.random() for place in places}
        for place in sorted(places, key=lambda place: urge[place], reverse=True):
            free = sorted({*range(1, self.colours + 1)} - self._touched(place))
            if free:
                self._put(place, self.rng.choice(free))
                return True
        return False

    def _places(self) -> Iterator[_Place]:
        """First upright groups that make new columns; then upright and lying pairs in the columns there are."""
        if len(self.columns) < self.cols:
            # pairs fill what is even: a board that is not begins with a group of three
            size = 3 if not self.columns and self.rows * self.cols % 2 else 2
            for col in range(len(self.columns) + 1):
                yield _Place(col, 0, upright=size, new=True)
            return
        for col, column in enumerate(self.columns):
            beside = self.columns[col + 1] if col + 1 < self.cols else []
            for height in range(len(column) + 1):
                if len(column) + 2 <= self.rows:
                    yield _Place(col, height, upright=2)
                if height <= len(beside) and 0 < max(len(column), len(beside)) < self.rows and beside:
                    yield _Place(col, height, upright=1)

    def _can_be_filled(self, place: _Place) -> bool:
        """Whether lying pairs can make the room in all columns even afterwards: upright ones do the rest."""
        if len(self.columns) + place.new < self.cols:
            return True
        rooms = [self.rows - len(column) for column in self.columns]
        if place.new:
            rooms.insert(place.col, self.rows)
        for col in place.cols:
            rooms[col] -= place.upright
        # odd columns go two by two; each lying pair between them takes one from two columns
        chain = False
        for room in rooms:
            if room % 2:
                chain = not chain
            elif chain and room < 2:
                return False
        return not chain

    def _room(self, place: _Place) -> int:
        return 0 if place.new else self.rows - max(len(self.columns[col]) for col in place.cols)

    def _touched(self, place: _Place) -> set[int]:
        """The colours around the group once it is there."""
        first, last = place.cols[0], place.cols[-1]
        found = []
        if not place.new:
            for col in place.cols:
                found += self.columns[col][max(0, place.height - 1) : place.height + 1]
        # a new column has the one that it pushes aside at its right
        for col in (first - 1, last if place.new else last + 1):
            if 0 <= col < len(self.columns):
                found += self.columns[col][place.height : place.height + place.upright]
        return {*found}

    def shrink(self, groups: int) -> None:
        """Take the last few groups away again."""
        keep = max(0, len(self.moves) - groups)
        self.columns = self._before[keep]
        del self.moves[keep:], self._before[keep:]

    def _put(self, place: _Place, colour: int) -> None:
        self._before.append([*map(list, self.columns)])
        if place.new:
            self.columns.insert(place.col, [])
        for col in place.cols:
            self.columns[col][place.height : place.height] = [colour] * place.upright
        self.moves.append(f"{self.rows - place.height - place.upright + 1},{place.col + 1}")
