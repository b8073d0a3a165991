"""Generated tile puzzles: the planted board is right, the settings are kept, and unique means unique."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core.errors import BadUsage
from dovetail.core.puzzle import Placement
from dovetail.core.solver import Budget
from dovetail.tiles import unique
from dovetail.tiles.diagnosis import faults
from dovetail.tiles.oriented import oriented
from dovetail.tiles.planting import plant_tiles
from dovetail.tiles.puzzle import FRAMES, Making, Tiles, TilesKind
from support.naive_tiles import by_rows, distinct, look, shown, tree

KIND = TilesKind()
SIZES = [(1, 1), (1, 4), (2, 2), (5, 3), (6, 7)]
ALL_SETTINGS = list(itertools.product(FRAMES, (True, False), (False, True), (0, 2)))
each_setting = pytest.mark.parametrize(("frame", "rotate", "signed", "border_colours"), ALL_SETTINGS)


def made(seed: int = 0, **given: object) -> tuple[Tiles, Placement]:
    puzzle, answer = pipeline.generate("tiles", seed, **given)
    assert isinstance(puzzle, Tiles) and isinstance(answer, Placement)
    return puzzle, answer


@each_setting
def test_planted_boards_pass_the_checker(frame: str, rotate: bool, signed: bool, border_colours: int) -> None:
    for seed, (height, width) in enumerate(SIZES):
        puzzle, answer = made(
            seed, width=width, height=height, colours=4, border_colours=border_colours, rotate=rotate, frame=frame,
            signed=signed, hints=min(2, width * height),
        )  # fmt: skip
        assert (puzzle.rows, puzzle.cols) == (height, width)
        assert (puzzle.rotate, puzzle.match) == (rotate, "signed" if signed else "equal")
        assert KIND.check(puzzle, answer).solved
        assert not list(faults(puzzle))
        assert rotate or not any(turn for row in answer.turns for turn in row)
        assert len(puzzle.pins) == min(2, width * height)
        for pin in puzzle.pins:
            assert (answer.pieces[pin.row][pin.col], answer.turns[pin.row][pin.col]) == (pin.tile, pin.turns)
        if frame == "grey":
            assert puzzle.rim == 0 == puzzle.grey
        elif frame == "coloured":
            assert puzzle.frame is not None and 0 not in puzzle.frame
        else:
            assert puzzle.frame is None


@each_setting
def test_colours_are_dealt_evenly(frame: str, rotate: bool, signed: bool, border_colours: int) -> None:
    """Of the seams of each kind, every colour has as many as any other, give or take one."""
    puzzle, answer = made(
        3, width=7, height=6, colours=5, border_colours=border_colours, rotate=rotate, frame=frame, signed=signed
    )  # fmt: skip
    board = np.array(shown(puzzle, answer)).reshape(6, 7, 4)
    down, across = abs(board[:-1, :, 2]), abs(board[:, :-1, 1])
    along = [*across[0], *across[-1], *down[:, 0], *down[:, -1]]
    inside = [*across[1:-1].ravel(), *down[:, 1:-1].ravel()]
    if border_colours:
        assert sorted(set(along)) == [1, 2]
        assert max(np.bincount(along)[1:]) - min(np.bincount(along)[1:]) <= 1
        assert min(inside) > 2
    if frame == "grey":
        rest = np.bincount(inside if border_colours else along + inside)[border_colours + 1 :]
        assert len(rest) == 5
        assert rest.max() - rest.min() <= 1


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize("border_colours", [0, 3])
def test_distinct_tiles_all_differ(frame: str, rotate: bool, border_colours: int) -> None:
    colours = 6 if rotate else 4
    given: dict[str, object] = {
        "width": 8,
        "height": 8,
        "colours": colours,
        "border_colours": border_colours,
        "rotate": rotate,
    }
    given["frame"] = frame
    repeated = 0
    for seed in range(4):
        puzzle, answer = made(seed, distinct=True, **given)
        assert puzzle.distinct
        assert len({look(puzzle, tile) for tile in puzzle.tiles}) == 64
        assert KIND.check(puzzle, answer).solved
        plain, _ = made(seed, **given)
        repeated += len({look(plain, tile) for tile in plain.tiles}) < 64
        inner = [colour for tile in puzzle.tiles if 0 not in tile for colour in tile]
        if border_colours and frame == "grey":
            assert min(map(abs, inner)) > border_colours, "swapping keeps the rim's colours on the rim"
    assert repeated, "otherwise this shows nothing"


def test_what_cannot_be_made_is_refused() -> None:
    with pytest.raises(BadUsage, match="found no 36 tiles that all differ with 1 colour;"):
        made(colours=1, distinct=True)
    with pytest.raises(BadUsage, match="a board of 36 tiles has no room for 37 hints"):
        made(hints=37)


def test_the_same_seed_makes_the_same_puzzle() -> None:
    for given in ({}, {"unique": True, "width": 4, "height": 4}, {"distinct": True, "hints": 3}):
        assert made(4, **given) == made(4, **given)
        assert made(4, **given) != made(5, **given)


def test_tiles_are_listed_in_no_order_and_turned() -> None:
    _, answer = made(1, width=8, height=8)
    assert answer.pieces[0] != tuple(range(8))
    assert {turn for row in answer.turns for turn in row} == {0, 1, 2, 3}


def looks_of_solutions(puzzle: Tiles) -> int:
    """By trying everything: boards that look different, however turned."""
    return distinct(puzzle, tree(puzzle, by_rows(puzzle)).boards)


UNIQUE = [
    ({"width": 3, "height": 3, "colours": 2}, 0),
    ({"width": 3, "height": 3, "colours": 3, "frame": "none"}, 0),
    ({"width": 3, "height": 2, "colours": 3, "frame": "none"}, 0),
    ({"width": 3, "height": 3, "colours": 3, "frame": "coloured"}, 0),
    ({"width": 4, "height": 3, "colours": 2, "frame": "none", "rotate": False}, 0),
    ({"width": 3, "height": 3, "colours": 1, "signed": True}, 0),
    ({"width": 4, "height": 4, "colours": 3}, 0),
    ({"width": 3, "height": 3, "colours": 2}, 1),
]


@pytest.mark.parametrize(("given", "hints"), UNIQUE)
def test_unique_means_that_no_other_board_fits(given: dict[str, object], hints: int) -> None:
    """And no hint too many: without any of the further ones there is another board."""
    added = 0
    for seed in range(4):
        bare, _ = made(seed, hints=hints, distinct=True, **given)
        puzzle, answer = made(seed, hints=hints, unique=True, **given)
        assert KIND.check(puzzle, answer).solved
        assert (puzzle.tiles, puzzle.frame) == (bare.tiles, bare.frame)
        assert set(bare.pins) <= set(puzzle.pins), "hints that were asked for stay"
        assert looks_of_solutions(puzzle) == 1
        assert puzzle.distinct, "so that no two tiles can be exchanged either"
        for pin in set(puzzle.pins) - set(bare.pins):
            fewer = replace(puzzle, pins=tuple(p for p in puzzle.pins if p != pin))
            assert looks_of_solutions(fewer) > 1
            added += 1
        assert added or looks_of_solutions(bare) == 1
    assert added or given["colours"] != 2, "some need hints"


def test_another_board_is_found_if_there_is_one() -> None:
    """And it fits, and is not the answer turned; where there is none, the answer alone is left."""
    seen = set()
    for seed in range(12):
        settings = Making(width=3, height=3 if seed % 2 else 2, colours=3, frame="grey" if seed % 2 else "none")
        puzzle, answer = plant_tiles(settings, seed)
        other = unique.another_board(puzzle, answer)
        several = looks_of_solutions(puzzle) > 1
        assert (other is not None) == several
        if other is not None:
            placement = oriented(puzzle).place(other)
            assert KIND.check(puzzle, placement).solved
            assert distinct(puzzle, [shown(puzzle, placement), shown(puzzle, answer)]) == 2
        seen.add(several)
    assert seen == {True, False}


def test_a_proof_that_takes_too_long_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, answer = plant_tiles(Making(width=6, height=6, colours=6), seed=1)
    monkeypatch.setattr(unique, "PLACEMENTS", 50)
    other = unique.another_board(puzzle, answer)
    assert other is not None and not len(other)


def test_a_larger_board_is_made_unique_with_few_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the search to expect is too large at first, hints are spread until it is not."""
    monkeypatch.setattr(unique, "PLACEMENTS", 200_000)
    puzzle, answer = made(2, width=7, height=7, colours=4, unique=True)
    assert KIND.check(puzzle, answer).solved
    assert 0 < len(puzzle.pins) < 25
    job = pipeline.Job(puzzle, "depth-first", Budget(), seed=0)
    list(job.counting(None))
    run = job.report().run
    assert run is not None
    assert (run.outcome.status, run.outcome.counters["distinct_boards"]) == ("complete", 1)
    for pin in puzzle.pins:
        fewer = replace(puzzle, pins=tuple(p for p in puzzle.pins if p != pin))
        assert unique.another_board(fewer, answer) is not None, "otherwise the hint could have gone"


def test_a_board_is_found_again_by_its_oriented_tiles() -> None:
    """Tiles that look the same after a turn are the same, however the answer says they are turned."""
    for puzzle, answer in (made(1, width=3, height=3, colours=1), made(2, width=3, height=3, colours=2, signed=True)):
        tiles = oriented(puzzle)
        board = unique.board_of(tiles, answer)
        assert shown(puzzle, tiles.place(board)) == shown(puzzle, answer)


@pytest.mark.parametrize("name", ["tiles-6x6", "tiles-frame", "tetravex", "scramble-squares", "tiles-16x16"])
def test_samples_have_one_solution(name: str) -> None:
    puzzle = pipeline.read(name)
    job = pipeline.Job(puzzle, "depth-first", Budget(), seed=0)
    list(job.counting(None))
    run = job.report().run
    assert run is not None
    assert run.outcome.status == "complete"
    assert run.outcome.counters["solutions"] == 1


@pytest.mark.parametrize("name", ["tiles-frame", "tetravex", "scramble-squares"])
def test_the_small_samples_have_one_solution_by_trying(name: str) -> None:
    puzzle = pipeline.read(name)
    assert isinstance(puzzle, Tiles)
    assert looks_of_solutions(puzzle) == 1
