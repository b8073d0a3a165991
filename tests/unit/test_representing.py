"""Boards as looks at locations, and back: held against the checkers of their kinds."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dovetail.core.kind import Kind
from dovetail.core.puzzle import EMPTY, Placement, Puzzle
from dovetail.tiles.boxes import BoxesKind
from dovetail.tiles.boxes import Making as BoxesMaking
from dovetail.tiles.hexagons import HexagonsKind
from dovetail.tiles.hexagons import Making as HexagonsMaking
from dovetail.tiles.puzzle import Making, Tiles, TilesKind
from dovetail.tiles.representing import Ints, Preset, represent
from dovetail.tiles.terracotta import Making as TerracottaMaking
from dovetail.tiles.terracotta import TerracottaKind

MADE: list[tuple[Kind, Any]] = [
    *(
        (TilesKind(), Making(3, 4, 3, rotate=rotate, frame=frame, signed=signed, hints=hints))
        for rotate, frame, signed, hints in itertools.product(
            (True, False), ("grey", "coloured", "none"), (True, False), (0, 2)
        )
    ),
    (TerracottaKind(), TerracottaMaking(rows=3, cols=3, repeats=True)),
    *((BoxesKind(), BoxesMaking(shape, 3, frame)) for shape in ("5", "2x3", "2x3x2") for frame in ("coloured", "none")),
    (BoxesKind(), BoxesMaking("2x2x2", 3, "grey")),
    *(
        (HexagonsKind(), HexagonsMaking(2, 3, rotate, frame))
        for rotate in (True, False)
        for frame in ("coloured", "none")
    ),
    (HexagonsKind(), HexagonsMaking(3, 3, True, "grey")),
]
each_rule = pytest.mark.parametrize(("kind", "settings"), MADE, ids=lambda x: x.name if isinstance(x, Kind) else str(x))


def looks_of(puzzle: Any, preset: Preset, solution: Placement) -> Ints:
    """[locations] the look that a placement has at each, by asking ``place`` what every look would be there."""
    cells = [(r, c) for r, row in enumerate(solution.pieces) for c, piece in enumerate(row) if piece != EMPTY]
    faces = {}
    for look in range(len(preset.shows)):
        board = np.full(len(preset.points), -1)
        board[0] = look
        alone = preset.place(board)
        (r, c), = ((r, c) for r, row in enumerate(alone.pieces) for c, p in enumerate(row) if p != EMPTY)  # fmt: skip
        faces[face(puzzle, alone.pieces[r][c], alone.turns[r][c])] = look
    return np.array([faces[face(puzzle, solution.pieces[r][c], solution.turns[r][c])] for r, c in cells])


def face(puzzle: Any, piece: int, turns: int) -> tuple[int, ...]:
    listed = puzzle.tiles if hasattr(puzzle, "tiles") else puzzle.pieces
    shown: tuple[int, ...] = tuple(puzzle.turned(listed[piece], turns))
    return shown


def without_hints(puzzle: Puzzle) -> Puzzle:
    """The looks of a lone piece are asked anywhere, where hints have their say."""
    return replace(puzzle, pins=()) if isinstance(puzzle, Tiles) else puzzle


@each_rule
def test_a_planted_board_solves_and_comes_back(kind: Kind, settings: Any) -> None:
    for seed in range(3):
        puzzle, answer = kind.make(settings, seed)
        assert isinstance(answer, Placement)
        preset = represent(puzzle)
        board = looks_of(puzzle, represent(without_hints(puzzle)), answer)
        assert preset.solves(board)
        assert kind.check(puzzle, preset.place(board)).solved


@each_rule
def test_counts_what_does_not_match_as_the_checker_does(kind: Kind, settings: Any) -> None:
    rng = np.random.default_rng(1)
    puzzle, answer = kind.make(settings, 1)
    assert isinstance(answer, Placement)
    puzzle = without_hints(puzzle)
    preset = represent(puzzle)
    planted = looks_of(puzzle, preset, answer)
    wrong = set()
    for _ in range(20):
        board = rng.permutation(planted)
        verdict = kind.check(puzzle, preset.place(board))
        assert verdict.valid
        seams = int(verdict.scores["seams"] - verdict.scores["matched"])
        rim = sum(
            preset.demands[at, side] not in (-1, preset.shows[look, side])
            for at, look in enumerate(board)
            for side in range(preset.shows.shape[1])
        )
        assert verdict.solved == preset.solves(board)
        if getattr(puzzle, "grey", None) is None:  # the checker lets no grey match grey
            assert preset.broken(board) == seams + rim
        wrong.add(preset.broken(board))
    assert len(wrong) > 1


def test_alike_pieces_are_one_class() -> None:
    tiles = ((1, 2, 3, 4), (2, 3, 4, 1), (1, 1, 1, 1), (1, 1, 1, 1))
    preset = represent(Tiles(2, 2, tiles))
    assert preset.stock.tolist() == [2, 2]
    assert np.bincount(preset.class_of).tolist() == [4, 1]
    placed = preset.place(np.array([0, 1, 4, 4]))
    assert sorted(itertools.chain(*placed.pieces)) == [0, 1, 2, 3]


def test_opposite_faces_have_opposite_signs_and_share_their_seam() -> None:
    for kind, settings in MADE[-4:]:
        preset = represent(kind.make(settings, 0)[0])
        assert sorted(preset.signs) == sorted(-preset.signs)
        seams, seam_of = preset.edges
        for seam in np.flatnonzero(preset.inner):
            (a, face), (b, other) = np.argwhere(seam_of == seam)
            assert (preset.points[a] + preset.directions[face] == seams[seam]).all()
            assert preset.signs[face] == -preset.signs[other] and a != b


def test_turns_of_a_hexagonal_board_that_keep_its_frame() -> None:
    plain, _ = HexagonsKind().make(HexagonsMaking(2, 3, True, "grey"), 0)
    turns = represent(plain).symmetry
    assert len(turns) == 5
    middle = len(represent(plain).points) // 2
    assert all(turn[middle] == middle and sorted(turn) == [*range(7)] for turn in turns)
    coloured, _ = HexagonsKind().make(HexagonsMaking(2, 3, True, "coloured"), 0)
    assert represent(coloured).symmetry == ()
