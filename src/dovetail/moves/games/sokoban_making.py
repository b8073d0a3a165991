"""The Sokoban generator: a random room, its boxes on their goals, and then everything backwards.

Boxes are pulled at random, long pulls rather than short ones, now this box and now that. The reversed pulls, with the
walks between them, are an answer.
"""

import random
from collections.abc import Iterator

from ...core.errors import BadUsage
from ...core.puzzle import Moves
from .sokoban import STEPS, Cell, Making, Sokoban

ROOMS = 200  # rooms tried until one has a place for all boxes
PULLS = 12  # for each box in one reverse play, at most
BACK = {"l": "r", "r": "l", "u": "d", "d": "u"}


def made(settings: Making, seed: int) -> tuple[Sokoban, Moves]:
    """The reverse play that took the boxes farthest, among so many."""
    rng = random.Random(f"sokoban {seed}")
    best: tuple[int, Sokoban, Moves] | None = None
    tries = 0
    for _ in range(ROOMS + settings.tries):
        floor = _room(settings, rng)
        if len(floor) < 2 * settings.boxes + 2:
            continue
        found = _played(floor, settings, rng)
        if found is None:
            continue
        if best is None or found[0] > best[0]:
            best = found
        tries += 1
        if tries == settings.tries:
            break
    if best is None:
        raise BadUsage(f"a room of {settings.height}x{settings.width} has no place for {settings.boxes} boxes to move")
    return best[1], best[2]


def _beside(cell: Cell, way: str) -> Cell:
    down, right = STEPS[way]
    return cell[0] + down, cell[1] + right


def _room(settings: Making, rng: random.Random) -> set[Cell]:
    """The largest connected floor when some inner cells are wall."""
    inner = [(row, col) for row in range(1, settings.height - 1) for col in range(1, settings.width - 1)]
    rng.shuffle(inner)
    floor = set(inner[len(inner) * settings.walls // 100 :])
    parts = []
    while floor:
        part = _walkable(floor, floor.pop())
        floor -= part
        parts.append(part)
    return max(parts, key=len, default=set())


def _walkable(floor: set[Cell], start: Cell) -> set[Cell]:
    seen, queue = {start}, [start]
    for cell in queue:
        for way in STEPS:
            beside = _beside(cell, way)
            if beside in floor and beside not in seen:
                seen.add(beside)
                queue.append(beside)
    return seen


def _played(floor: set[Cell], settings: Making, rng: random.Random) -> tuple[int, Sokoban, Moves] | None:
    """One reverse play: how far the boxes came, the level, the answer. None if some goal still holds a box."""
    cells = sorted(floor)
    goals = rng.sample(cells, settings.boxes)
    boxes = list(goals)
    player = rng.choice([cell for cell in cells if cell not in goals])
    pulls: list[tuple[Cell, str]] = []  # where the box came to, and the way it was pulled
    for _ in range(PULLS * settings.boxes):
        number = rng.randrange(len(boxes))
        ways = [*_pullable(floor, boxes, number, player)]
        if not ways:
            continue
        way = rng.choice(ways)
        for _ in range(rng.randint(1, 5)):
            to = _beside(boxes[number], way)
            stand = _beside(to, way)
            if to not in floor or stand not in floor or to in boxes or stand in boxes:
                break
            boxes[number], player = to, stand
            pulls.append((to, way))
    if set(boxes) & set(goals):
        return None
    answer = _answer(floor, boxes, player, pulls)
    far = sum(abs(box[0] - goal[0]) + abs(box[1] - goal[1]) for box, goal in zip(boxes, goals, strict=True))
    return far, _level(settings, floor, boxes, goals, player), Moves(answer)


def _pullable(floor: set[Cell], boxes: list[Cell], number: int, player: Cell) -> Iterator[str]:
    reached = _walkable(floor - set(boxes), player)
    for way in STEPS:
        to = _beside(boxes[number], way)
        stand = _beside(to, way)
        if to in reached and stand in floor and stand not in boxes:
            yield way


def _answer(floor: set[Cell], boxes: list[Cell], player: Cell, pulls: list[tuple[Cell, str]]) -> tuple[str, ...]:
    """The pulls from the last to the first, as pushes the other way."""
    standing, moves = set(boxes), []
    for at, way in reversed(pulls):
        push = BACK[way]
        moves.append(_walk(floor - standing, player, _beside(at, way)))
        moves.append(push.upper())
        standing.remove(at)
        standing.add(_beside(at, push))
        player = at
    return tuple("".join(moves))


def _walk(free: set[Cell], start: Cell, end: Cell) -> str:
    """A shortest way; there is one."""
    ways, queue = {start: ""}, [start]
    for cell in queue:
        if cell == end:
            break
        for way in STEPS:
            beside = _beside(cell, way)
            if beside in free and beside not in ways:
                ways[beside] = ways[cell] + way
                queue.append(beside)
    return ways[end]


def _level(settings: Making, floor: set[Cell], boxes: list[Cell], goals: list[Cell], player: Cell) -> Sokoban:
    """The room as it stands; walls that touch no floor are left out."""

    def letter(row: int, col: int) -> str:
        cell = (row, col)
        if cell in floor:
            on_goal = cell in goals
            return "+@"[not on_goal] if cell == player else "*$"[not on_goal] if cell in boxes else ". "[not on_goal]
        around = ((row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1))
        return "#" if any(cell in floor for cell in around) else " "

    rows = tuple("".join(letter(row, col) for col in range(settings.width)) for row in range(settings.height))
    return Sokoban(rows)
