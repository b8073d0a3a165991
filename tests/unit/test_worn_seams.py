"""Worn pieces: made on demand, recognised as such, and put together by other measures; others are left alone."""

import io
import zipfile
from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest

from dovetail.core.errors import BadUsage
from dovetail.core.source import Source
from dovetail.jigsaw import candidates
from dovetail.jigsaw.cutting import built_in, cut, make
from dovetail.jigsaw.folder import read_folder, write_zip
from dovetail.jigsaw.images import png_bytes
from dovetail.jigsaw.puzzle import Jigsaw, Making, Reading
from dovetail.jigsaw.worn import seams as worn_seams
from dovetail.workers import Inline
from support.jigsaws import finished


def made(**worn: float) -> Jigsaw:
    return make(Making(image="chelsea", piece="30", **worn), 3)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("worn", [{"erode": 2}, {"noise": 6.0}, {"brightness": 0.1}, {"jpeg": 60}])
def test_wear_changes_pieces_and_nothing_else(worn: dict[str, float]) -> None:
    plain, truth = make(Making(image="chelsea", piece="30"), 3)
    puzzle, same_truth = make(Making(image="chelsea", piece="30", **worn), 3)  # type: ignore[arg-type]
    assert same_truth == truth
    assert (puzzle.rows, puzzle.cols, puzzle.count) == (plain.rows, plain.cols, plain.count)
    lost = int(worn.get("erode", 0))
    assert (puzzle.height, puzzle.width) == (30 - 2 * lost, 30 - 2 * lost)
    whole = plain.array[:, lost : 30 - lost, lost : 30 - lost].astype(float)
    if lost:
        assert np.array_equal(puzzle.array, whole)
    else:
        apart = np.abs(puzzle.array - whole).mean()
        assert 1 < apart < 12
    assert make(Making(image="chelsea", piece="30", **worn), 3)[0] == puzzle  # type: ignore[arg-type]


def test_light_is_of_the_piece_and_noise_of_the_pixel() -> None:
    plain, lit, noisy = (made(**worn).array.astype(float) for worn in ({}, {"brightness": 0.1}, {"noise": 6.0}))
    bright = plain.mean(axis=(1, 2, 3)) > 40
    gains = (lit.mean(axis=(1, 2, 3)) / plain.mean(axis=(1, 2, 3)))[bright]
    assert 0.89 < gains.min() < 0.93
    assert 1.07 < gains.max() < 1.11
    assert np.std(noisy - plain) == pytest.approx(6.0, rel=0.05)


def test_too_much_wear_is_refused() -> None:
    with pytest.raises(BadUsage, match="30x30 pixels that lose 15 on every side have too little left"):
        made(erode=15)


@pytest.mark.parametrize(
    ("worn", "expected"),
    [({}, False), ({"erode": 1}, True), ({"erode": 2}, True), ({"noise": 10.0}, True), ({"brightness": 0.15}, True)],
)
def test_worn_pieces_are_recognised_and_whole_ones_left_alone(worn: dict[str, float], expected: bool) -> None:
    puzzle, seen = made(**worn), []

    def pairs() -> Generator[float, None, candidates.Paired]:
        seen.append((yield from candidates.paired(puzzle, Inline(), True)))
        return seen[0]

    assert finished(candidates.found(puzzle, Inline(), pairs=pairs())).worn == expected
    assert seen[0].worn == expected


def test_worn_odds_find_more_neighbours() -> None:
    puzzle, truth = make(Making(image="chelsea", piece="30", noise=10.0), 3)
    pieces = np.array(truth.pieces)
    east = {
        4 * one + 1: 4 * other + 3 for one, other in zip(pieces[:, :-1].ravel(), pieces[:, 1:].ravel(), strict=True)
    }

    def right(pairs: candidates.Paired) -> float:
        return float(np.mean([pairs.edges[edge, 0] == other for edge, other in east.items()]))

    whole = finished(candidates.touching(puzzle, Inline(), False))[0]
    worn = finished(worn_seams.paired(puzzle, Inline()))
    assert right(worn) > right(whole) + 0.1


def test_pieces_that_differ_by_a_pixel_or_two_are_trimmed_and_that_is_said() -> None:
    pieces = list(cut(built_in("chelsea"), 50, 50))
    pieces[3], pieces[7] = pieces[3][:-1], pieces[7][:, 1:]
    files = {f"{number}.png": png_bytes(np.ascontiguousarray(piece), {}) for number, piece in enumerate(pieces)}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    (puzzle,) = read_folder(Source("x.zip", packed.getvalue()), Reading(rows=6))
    assert isinstance(puzzle, Jigsaw)
    assert (puzzle.count, puzzle.height, puzzle.width) == (54, 49, 49)
    assert puzzle.found_out == ("pieces differ in size: of 54 larger ones the middle is taken, 49x49 pixels",)
    assert np.array_equal(puzzle.array[3], pieces[3][:, :49])
    (whole,) = read_folder(Source("x.zip", write_zip(replace(puzzle, found_out=()))), Reading())
    assert isinstance(whole, Jigsaw)
    assert not whole.found_out
