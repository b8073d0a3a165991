"""Seams of compressed pictures as a network sees them: what it is shown, what it knows, how it is taught."""

import importlib
import io
import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import dovetail
from dovetail.jigsaw import candidates, comparing, grid, grid_seams
from dovetail.jigsaw.cutting import built_in, cut, listed, shuffled
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.poses import EAST, WEST
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.workers import Inline
from support.jigsaws import finished

BENCHMARKS = Path(dovetail.__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def teaching() -> Any:
    """The script as a module, which needs torch."""
    pytest.importorskip("torch")
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("teach_grid_seams")
    finally:
        sys.path.remove(str(BENCHMARKS))


def compressed(name: str, share: float = 0.8) -> Pixels:
    """A built-in picture, scaled, so that no older grid is left, and saved as JPEG."""
    image, saved = Image.fromarray(built_in(name)), io.BytesIO()
    small = image.resize((round(image.width * share), round(image.height * share)), Image.Resampling.LANCZOS)
    small.save(saved, "JPEG", quality=80, subsampling=2)
    return np.asarray(Image.open(saved))


def pieces_of(pixels: Pixels, height: int, width: int) -> tuple[Jigsaw, Any]:
    rows, cols = pixels.shape[0] // height, pixels.shape[1] // width
    return shuffled(cut(pixels[: rows * height, : cols * width], height, width), rows, cols, np.random.default_rng(1))


def slowly_seen(puzzle: Jigsaw, piece: int, side: int) -> np.ndarray:
    """One edge, by turning the piece and adding up pixels."""
    turned = np.rot90(puzzle.array[piece], side).astype(float)
    length = turned.shape[1]
    cells, found = max(1, round(length / 2)), []
    for cell in range(cells):
        begin, end = cell * length / cells, (cell + 1) * length / cells
        numbers: list[float] = []
        for first, last in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 8), (8, 12), (12, 16), (16, 22), (22, 28)):
            total = np.zeros(3)
            for pixel in range(length):
                share = max(0.0, min(end, pixel + 1) - max(begin, pixel)) / (end - begin)
                for line in range(first, last):  # of a small piece the innermost line goes on
                    red, green, blue = turned[min(line, len(turned) - 1), pixel]
                    bright = 0.299 * red + 0.587 * green + 0.114 * blue
                    colours = np.array([bright - 128, 0.564 * (blue - bright), 0.713 * (red - bright)])
                    total += share * colours / (last - first)
            numbers.extend(total)
        found.append(numbers)
    return np.array(found)


@pytest.mark.parametrize(("height", "width"), [(20, 20), (17, 24)])
def test_edges_are_shown_by_cells_and_lines(height: int, width: int) -> None:
    puzzle = pieces_of(built_in("chelsea")[: 3 * height, : 3 * width], height, width)[0]
    shown, cells = grid_seams.seen(puzzle)
    assert cells == (round(width / 2), round(height / 2)) and shown.shape == (36, max(cells), 27)
    for piece, side in ((0, 0), (4, 1), (7, 2), (8, 3)):
        edge = shown[4 * piece + side]
        assert edge[: cells[side % 2]] == pytest.approx(slowly_seen(puzzle, piece, side), abs=1e-3)
        assert not edge[cells[side % 2] :].any()


def test_a_seam_is_judged_alike_from_either_edge_and_without_padding() -> None:
    rng = np.random.default_rng(0)
    shown, lies = rng.normal(size=(6, 12, 27)).astype(np.float32), rng.random((3, 2), np.float32)
    ours, theirs = np.array([0, 2, 4]), np.array([2, 4, 0])

    def judged(shown: np.ndarray, cells: tuple[int, int], ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        return grid_seams.judged(grid_seams.encoded(shown, cells), cells, ours, theirs, lies)

    there = judged(shown, (12, 12), ours, theirs)
    assert np.ptp(there) > 0.01
    assert judged(shown, (12, 12), theirs, ours) == pytest.approx(there, abs=1e-3)
    short = shown.copy()
    short[:, 9:] = 77
    alone = judged(shown[:, :9].copy(), (9, 9), ours, theirs)
    assert judged(short, (9, 12), ours, theirs) == pytest.approx(alone, abs=1e-3)
    assert judged(short, (12, 9), ours + 1, (theirs + 1) % 6) == pytest.approx(
        judged(shown[:, :9].copy(), (9, 9), ours + 1, (theirs + 1) % 6), abs=1e-3
    )


def right_of(truth: Any, best: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The edges that face east, and whether what is named for them is there."""
    pieces = np.array(truth.pieces)
    edges = 4 * pieces[:, :-1].ravel() + EAST
    return edges, best[edges] == 4 * pieces[:, 1:].ravel() + WEST


@pytest.mark.parametrize(("height", "width"), [(20, 20), (18, 25), (28, 28)])
def test_where_the_first_measure_is_not_clear_it_finds_more_neighbours(height: int, width: int) -> None:
    found, measured = [], []
    for name in ("rocket", "coffee", "astronaut"):
        puzzle, truth = pieces_of(compressed(name), height, width)
        (listed, sums, told, _), *_ = finished(candidates.ranked(puzzle, Inline(), True))
        assert told.shape[2] == grid.TOLD
        first = np.log(np.maximum(sums, 0) + comparing.FLOORS[0])
        unclear = first[:, 1] < first[:, 0] + 0.5
        edges, right = right_of(truth, listed[:, 0])
        measured.extend(right[unclear[edges]])
        kept, says = finished(grid_seams.kept(puzzle, listed, first, told, 12))
        assert kept.shape == (len(listed), 12) and says.shape == (*kept.shape, grid.TOLD + grid_seams.TOLD)
        against = np.where(kept < 0, np.inf, says[..., grid.TOLD + 2])
        best = np.take_along_axis(kept, against.argmin(axis=1)[:, None], axis=1)[:, 0]
        edges, right = right_of(truth, best)
        found.extend(right[unclear[edges]])
    assert len(found) > 30 and np.mean(found) > np.mean(measured)


def test_the_best_by_either_judge_are_kept_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    none = [-1, -1, -1, -1, -1]
    listed = np.array([[5, 4, 3, 2, 1, -1], [0, 2, *none[1:]], *([0, *none],) * 4], np.int32)
    said = np.full(listed.shape, grid_seams.LEAST, np.float32)
    said[0], said[1, 0] = [-5.0, -9.0, 4.0, 2.0, -9.0, -10.0], 1.0

    def answers(*_: Any) -> Generator[float, None, np.ndarray]:
        yield 0.5
        return said

    monkeypatch.setattr(grid_seams, "looked_at", answers)
    monkeypatch.setattr(grid_seams, "BLOCK_EDGES", 1)
    puzzle = pieces_of(built_in("chelsea")[:60, :60], 20, 20)[0]
    told = np.arange(listed.size * 3, dtype=np.float32).reshape(*listed.shape, 3)
    kept, says = finished(grid_seams.kept(puzzle, listed, np.zeros(listed.shape, np.float32), told.copy(), 4))
    assert kept[:3].tolist() == [[3, 5, 2, 4], [0, 2, -1, -1], [0, -1, -1, -1]]
    assert says[0, :, : grid.TOLD].tolist() == told[0, [2, 0, 3, 1]].tolist()
    assert np.isfinite(says).all()


def test_what_cannot_be_is_not_looked_at() -> None:
    """Neither what fits far worse than the best of either edge, nor what the grid forbids."""
    none = -1
    pairs = np.array([[1, 2, none], [0, 3, none], [3, 0, 1], [2, 1, none]], np.int32)
    first = np.array([[0.0, 3.0, np.inf], [0.0, 1.0, np.inf], [0.5, 3.0, 0.6], [0.5, 1.0, np.inf]], np.float32)
    told = np.zeros((4, 3, 3), np.float32)
    told[2, 2, 0] = -4.0
    expected = [[True, False, False], [True, True, False], [True, False, False], [True, True, False]]
    assert grid_seams.asked(pairs, first, told).tolist() == expected


def test_at_small_pieces_it_does_not_look() -> None:
    puzzle = listed(cut(compressed("rocket")[:140, :140], 14, 14), (10, 10), False)
    edges = np.tile(np.array([5, 9, 7], np.int32), (400, 1))
    kept, says = finished(
        grid_seams.kept(puzzle, edges, np.zeros((400, 3), np.float32), np.zeros((400, 3, 3), np.float32), 2)
    )
    assert (kept == [5, 9]).all(), "they stay as they were"
    assert (says == says[0, 0]).all()


def test_the_card_says_what_people_ask() -> None:
    card = json.loads(Path(grid_seams.__file__).with_name("grid_seams.json").read_text())
    assert {"sha256", "data", "licence", "recipe", "scores"} <= set(card)


def test_it_learns_and_ships_what_it_learned(teaching: Any, tmp_path: Path) -> None:
    import onnxruntime
    import torch

    lesson = teaching.lessons(compressed("rocket", 1.0))
    assert lesson is not None and len(lesson.edges) > 10 and lesson.right.any(axis=1).all()
    state = tmp_path / "grid_seams.pt"
    *_, last = teaching.learn([lesson], [lesson], state, 4)
    assert last["step"] > 1 and np.isfinite(last["loss"])
    teaching.exported(state, tmp_path)
    network = teaching.Network()
    network.load_state_dict(torch.load(state, weights_only=True))
    network.eval()
    edges, lies, ours, theirs = 5 * torch.randn(5, 9, 27), torch.rand(5, 2), np.arange(5), np.array([2, 3, 4, 0, 1])
    with torch.no_grad():
        said = teaching.said(network, edges[ours], edges[theirs], lies).numpy()
    sides, seams = (onnxruntime.InferenceSession(tmp_path / f"{name}.onnx") for name in ("grid_sides", "grid_seams"))
    near, far = sides.run(None, {"edges": edges.numpy()})
    given = {"near": near, "far": far, "ours": ours, "theirs": theirs, "lies": lies.numpy()}
    assert seams.run(None, given)[0] == pytest.approx(said, abs=5e-3), "but for half precision"
    assert set(json.loads((tmp_path / "grid_seams.json").read_text())["sha256"]) == {"grid_sides", "grid_seams"}
    assert teaching.lessons(built_in("chelsea")[:112, :140]) is None, "it was never compressed"


def test_rivals_are_drawn_and_the_right_one_comes_first(teaching: Any) -> None:
    lesson = teaching.lessons(compressed("rocket", 1.0))
    rng = np.random.default_rng(0)
    ours, theirs, lies, counts, aim = teaching.batch(lesson, 64, rng)
    rivals = counts.shape[1]
    assert ours.shape[1:] == theirs.shape[1:] and len(ours) == 64 and len(theirs) == len(lies) == 64 * rivals
    there = counts[:, 0].numpy()
    assert 0 < (~there).sum() < 40 and ((aim == 0).numpy() == there).all() and (aim[~counts[:, 0]] == rivals).all()
