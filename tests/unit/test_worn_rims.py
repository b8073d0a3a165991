"""Rims as networks see them: how these are taught and shipped, and what they know of worn pieces."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail.core.errors import BadInput
from dovetail.jigsaw.cutting import built_in, cut, listed, make, shuffled
from dovetail.jigsaw.deep import networks
from dovetail.jigsaw.lines import outermost
from dovetail.jigsaw.puzzle import Jigsaw, Making
from dovetail.jigsaw.worn import rims, seams
from dovetail.workers import Inline
from support.jigsaws import finished

BENCHMARKS = Path(dovetail.__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def teaching() -> Any:
    """The script as a module, which needs torch."""
    pytest.importorskip("torch")
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("teach_rims")
    finally:
        sys.path.remove(str(BENCHMARKS))


def east_right(puzzle: Jigsaw, truth: Any, edges: np.ndarray) -> float:
    pieces = np.array(truth.pieces)
    pairs = zip(pieces[:, :-1].ravel(), pieces[:, 1:].ravel(), strict=True)
    return float(np.mean([edges[4 * one + 1, 0] == 4 * other + 3 for one, other in pairs]))


@pytest.mark.parametrize("erode", [1, 2])
def test_networks_find_more_neighbours_than_measures_and_what_is_lost(erode: int) -> None:
    puzzle, truth = make(Making(image="chelsea", piece="36", erode=erode), 3)
    measured = finished(seams.measured(puzzle, Inline()))
    seen = finished(rims.paired(puzzle, measured))
    assert east_right(puzzle, truth, seen.edges) > east_right(puzzle, truth, measured.edges) + 0.05
    lines, lengths = outermost(puzzle, depth=rims.DEPTH)
    assert rims.lost_between(measured, lines, lengths) == 2 * erode
    assert rims.eroded(puzzle, measured)


def test_whole_and_small_pieces_are_not_taken_for_eroded() -> None:
    whole = make(Making(image="chelsea", piece="36"), 3)[0]
    assert not rims.eroded(whole, finished(seams.measured(whole, Inline())))
    small = make(Making(image="chelsea", piece="14", erode=1), 3)[0]
    assert not rims.eroded(small, finished(seams.measured(small, Inline())))


def test_rectangles_are_looked_at_without_their_padding() -> None:
    """Whatever the other sides of a piece are, its northern edge is seen as that of a square is."""
    rng = np.random.default_rng(0)
    lines = rng.uniform(0, 255, (12, rims.DEPTH, 30, 3)).astype(np.float32)
    together = finished(rims.encoded(lines, (30, 20), 2))
    north, east = np.arange(0, 12, 2), np.arange(1, 12, 2)
    alone = rims.encoded(lines[north], (30, 30), 2), rims.encoded(lines[east, :, :20], (20, 20), 2)
    for own, long, each in zip((north, east), (30, 20), map(finished, alone), strict=True):
        for mine, same in zip(together, each, strict=True):
            mine = mine[own] if mine.ndim == 2 else mine[own, :, :long]
            assert np.allclose(mine, same, atol=1e-5)


def test_rectangular_worn_pieces_are_put_side_by_side() -> None:
    pixels = built_in("chelsea")[:288, :440]
    puzzle, truth = shuffled(cut(pixels, 36, 40), 8, 11, np.random.default_rng(1))
    worn = listed(puzzle.faces[:, :, 1:-1, 1:-1], (8, 11), False)
    seen = finished(rims.paired(worn, finished(seams.measured(worn, Inline()))))
    assert east_right(worn, truth, seen.edges) > 0.7


def test_small_pieces_are_left_to_measures() -> None:
    puzzle = make(Making(image="chelsea", piece="14", erode=1), 3)[0]
    assert "14 pixels and more" in str(rims.why_not(puzzle))
    measured = finished(seams.measured(puzzle, Inline()))
    both = finished(seams.paired(puzzle, Inline()))
    assert np.array_equal(both.edges, measured.edges)


def test_another_file_is_not_run() -> None:
    with pytest.raises(BadInput, match="not the one on its card"):
        networks.started("rim", b"something else", "0" * 64, 1)


def test_the_card_says_what_people_ask() -> None:
    card = json.loads(Path(rims.__file__).with_name("rims.json").read_text())
    assert {"sha256", "data", "licence", "recipe", "seconds", "scores"} <= set(card)


def test_edges_are_read_so_that_neighbours_touch(teaching: Any) -> None:
    """In a smooth picture, facing rims differ by one step of it, read one way and the other."""
    import torch

    high, wide = torch.meshgrid(torch.arange(36.0), torch.arange(48.0), indexing="ij")
    picture = torch.stack([high, wide, (high - 10).square() / 10 + wide]) / 255
    pieces = teaching.cut(picture, 3, 4, 12, teaching.Wear(0, 0, 0, 0, 0))
    lines = teaching.rims_of(pieces, 4)
    aim, known, own = teaching.facing(3, 4, "cpu")
    apart = (lines[known, :, 0] - lines[aim[known], :, 0].flip(2)).abs().amax()
    assert apart < 6 / 255
    assert len(known) == 2 * (3 * 3 + 2 * 4)
    assert int(own.sum()) == 12 * 16


def test_it_learns_and_ships_what_it_learned(teaching: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime
    import torch

    torch.manual_seed(1)
    bags = sys.modules["teach_rims_bags"]
    monkeypatch.setattr(bags, "PUZZLES", (1, 1))
    monkeypatch.setattr(bags, "BOARDS", ((4, 4), (4, 4)))
    photo = torch.from_numpy(built_in("chelsea").copy()).permute(2, 0, 1)
    squares = photo[None, :, :224, :224]
    state = tmp_path / "rims.pt"
    *steps, last = teaching.learn([photo], squares, [photo[:, :84, :112]], state, 0.2, "cpu")
    assert steps and all(np.isfinite(line["seams"]) for line in steps)
    assert set(last) == {"step", "erode 0", "erode 1", "erode 2", "erode 3"}
    teaching.exported(state, tmp_path, lambda model: model)
    taught = teaching.Networks()
    teaching.begun_with(taught, state)
    rim, seam = (onnxruntime.InferenceSession(tmp_path / f"{name}.onnx") for name in ("rim", "seam"))
    lines, lost = torch.rand(5, 3, teaching.DEPTH, 33), torch.full((5,), 2.0)
    segments = teaching.shares(33, "cpu")
    with torch.no_grad():
        ask, asked, features = taught.eval().rim(lines, lost, segments)
        logits = taught.seam(features, features.roll(1, 0))
    given = {"lines": lines.numpy(), "lost": lost.numpy(), "segments": segments.numpy()}
    shipped = rim.run(["ask", "asked", "ours", "theirs"], given)
    assert np.allclose(shipped[0], ask, atol=1e-4)
    assert np.allclose(shipped[1], asked, atol=1e-4)
    said = seam.run(None, {"ours": shipped[2], "theirs": np.roll(shipped[3], 1, 0)})[0]
    assert np.allclose(said, logits, atol=1e-4)
    assert np.allclose(segments.numpy(), rims.shares(33))


@pytest.mark.parametrize("quality", [50, 75, 90])
def test_compression_is_about_that_of_jpeg(teaching: Any, quality: int) -> None:
    import io

    import torch
    from PIL import Image

    pieces = (
        torch.from_numpy(cut(built_in("astronaut")[:96, :96], 32, 32).reshape(-1, 32, 32, 3).copy()).permute(0, 3, 1, 2)
        / 255
    )
    ours = sys.modules["teach_rims_bags"].compressed(pieces, quality)
    apart, lost = [], []
    for piece, mine in zip(pieces, ours, strict=True):
        file = io.BytesIO()
        pixels = (piece.permute(1, 2, 0).numpy() * 255).round().astype(np.uint8)
        Image.fromarray(pixels).save(file, "JPEG", quality=quality)
        theirs = np.asarray(Image.open(file)).astype(float)
        apart.append(np.abs(theirs - mine.permute(1, 2, 0).numpy() * 255).mean())
        lost.append(np.abs(theirs - pixels).mean())
    assert np.mean(apart) < 0.6 * np.mean(lost)
