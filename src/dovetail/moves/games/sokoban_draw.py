"""Sokoban as pictures: brick walls, goals as rings, crates that turn blue with a tick on their goals, a keeper."""

from collections.abc import Iterator
from math import cos, pi, sin

from ...picture import Line, Picture, Point, Polygon, Shape, Wedge
from .sokoban import STEPS, WALL, Cell, Sokoban, SokobanPlay

MARGIN, SCALE = 0.25, 36.0
PAPER, GROUND, GRID = "#FFFFFF", "#F3EEE3", "#E5DDCB"
BRICK, MORTAR = "#6B6259", "#8D847A"
GOAL = "#C2571A"
WOOD, PLANK = "#E0A858", "#8A5A1C"
DONE, DONE_EDGE, TICK = "#3F7FB5", "#1F4C75", "#FFFFFF"
COAT, SKIN, CAP = "#2F4F3A", "#F6D7B0", "#B3261E"


def drawn(puzzle: Sokoban, play: SokobanPlay) -> Picture:
    """How the play stands."""
    picture = Picture(puzzle.cols + 2 * MARGIN, puzzle.rows + 2 * MARGIN, SCALE, PAPER)
    for cell in sorted(puzzle.inside | play.boxes | play.goals):
        picture.add(_box(cell, 0.0, GROUND, GRID, 0.02))
    for cell in puzzle.cells(WALL):
        picture.add(*_wall(cell))
    for cell in sorted(play.goals - play.boxes):
        picture.add(*_goal(cell))
    for cell in sorted(play.boxes):
        picture.add(*_crate(cell, cell in play.goals))
    picture.add(*_keeper(play.player, play.facing))
    return picture


def _at(cell: Cell, down: float, right: float) -> Point:
    """A point of a cell, from its upper left corner."""
    return cell[1] + MARGIN + right, cell[0] + MARGIN + down


def _box(cell: Cell, inset: float, fill: str, stroke: str | None = None, width: float = 0.0) -> Polygon:
    far = 1 - inset
    corners = ((inset, inset), (inset, far), (far, far), (far, inset))
    return Polygon(tuple(_at(cell, *corner) for corner in corners), fill, stroke, width)


def _wall(cell: Cell) -> Iterator[Shape]:
    """Two courses of bricks."""
    yield _box(cell, 0.0, BRICK)
    lines = (((0.5, 0), (0.5, 1)), ((0, 0.5), (0.5, 0.5)), ((0.5, 0), (1, 0)), ((1, 0), (1, 1)))
    for begin, end in lines:
        yield Line((_at(cell, *begin), _at(cell, *end)), MORTAR, 0.05)


def _ring(cell: Cell, radius: float) -> tuple[Point, ...]:
    return tuple(
        _at(cell, 0.5 + radius * sin(turn * pi / 16), 0.5 + radius * cos(turn * pi / 16)) for turn in range(32)
    )


def _goal(cell: Cell) -> Iterator[Shape]:
    yield Polygon(_ring(cell, 0.24), None, GOAL, 0.07)
    yield Polygon(_ring(cell, 0.08), GOAL)


def _crate(cell: Cell, placed: bool) -> Iterator[Shape]:
    """Planks across; on its goal a tick, so that no colour is needed to see it."""
    yield _box(cell, 0.09, DONE if placed else WOOD, DONE_EDGE if placed else PLANK, 0.08)
    if placed:
        yield Line((_at(cell, 0.52, 0.3), _at(cell, 0.67, 0.45), _at(cell, 0.34, 0.72)), TICK, 0.1)
    else:
        yield Line((_at(cell, 0.24, 0.24), _at(cell, 0.76, 0.76)), PLANK, 0.07)
        yield Line((_at(cell, 0.76, 0.24), _at(cell, 0.24, 0.76)), PLANK, 0.07)


def _keeper(cell: Cell, facing: str) -> Iterator[Shape]:
    """A small figure that looks where it goes."""
    down, right = STEPS[facing]
    body = ((0.92, 0.2), (0.6, 0.26), (0.5, 0.38), (0.5, 0.62), (0.6, 0.74), (0.92, 0.8))
    yield Polygon(tuple(_at(cell, *point) for point in body), COAT)
    yield Wedge(_at(cell, 0.36, 0.5), 0.25, 0, 360, SKIN)
    if facing == "u":  # seen from behind
        yield Wedge(_at(cell, 0.36, 0.5), 0.25, 0, 360, CAP)
    else:
        yield Wedge(_at(cell, 0.36, 0.5), 0.25, 180, 360, CAP)
        for side in (-0.09, 0.09):
            yield Wedge(_at(cell, 0.43 + 0.02 * down, 0.5 + side + 0.08 * right), 0.035, 0, 360, COAT)
    yield Line((_at(cell, 0.35, 0.23 + 0.06 * right), _at(cell, 0.35, 0.77 + 0.06 * right)), CAP, 0.08)
