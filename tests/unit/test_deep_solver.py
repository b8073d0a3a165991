"""The solver `deep`: whose puzzles it takes, with a network and without, annealed and by tree search."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.errors import Refused
from dovetail.core.puzzle import Placement
from dovetail.core.solver import Budget
from dovetail.jigsaw.deep import networks
from dovetail.jigsaw.deep.solver import Deep
from dovetail.jigsaw.gapped import Gapped, GappedKind
from dovetail.jigsaw.gapped import Making as GappedMaking
from dovetail.jigsaw.puzzle import Jigsaw
from support.networks import write


def cut(**settings: object) -> tuple[Gapped, Placement]:
    return GappedKind().make(replace(GappedMaking(), **settings), seed=3)  # type: ignore[arg-type]


def grey_ramp(rows: int, cols: int, gap: int) -> tuple[Gapped, list[int]]:
    """A picture that gets brighter from column to column and, faster, from row to row; and where its patches belong."""
    stride = 40 + gap
    line, col = np.mgrid[: rows * stride, : cols * stride]
    picture = (10 + 200 * line / (rows * stride) + 30 * col / (cols * stride)).astype(np.uint8)
    cells = [
        picture[r * stride : r * stride + 40, c * stride : c * stride + 40] for r in range(rows) for c in range(cols)
    ]
    order = np.random.default_rng(1).permutation(len(cells))
    pixels = np.repeat(np.stack(cells)[order][..., None], 3, axis=3).tobytes()
    return Gapped(40, 40, 3, 8, pixels, rows, cols, gap=gap), np.argsort(order).tolist()


PLAIN = Jigsaw(4, 4, 3, 8, bytes(6 * 48), 2, 3)


@pytest.mark.parametrize(
    ("puzzle", "why"),
    [
        (replace(PLAIN, rows=None, cols=None), "frame is not known"),
        (replace(PLAIN, rotate=True), "upright"),
        (replace(PLAIN, foreign=True), "belong to no picture"),
        (replace(PLAIN, height=2, width=8), "square"),
        (replace(PLAIN, rows=12, cols=13), "156 cells"),
        (Jigsaw(4, 4, 3, 8, bytes(6 * 48), 1, 3, sides=2), "turned over"),
    ],
)
def test_refuses_with_a_reason(puzzle: Jigsaw, why: str) -> None:
    fit = Deep().accepts(puzzle)
    assert not fit.accepted
    assert why in fit.why


def test_is_chosen_where_there_are_gaps_only() -> None:
    gapped, _ = cut()
    assert registry.choose(gapped)[0].name == "deep"
    assert registry.choose(PLAIN)[0].name != "deep"
    assert registry.choose(PLAIN, "deep")[0].name == "deep"


@pytest.mark.parametrize("search", ["annealing", "tree"])
@pytest.mark.parametrize("hints", ["0", "2"])
def test_solves_a_photograph_by_its_pixels(search: str, hints: str) -> None:
    puzzle, truth = cut(grid="3x4", gap=2, hints=hints)
    answer = pipeline.solve(puzzle, solver="deep", time_s=30, search=search, model="pixels", visits=300)
    assert answer.outcome.status == "complete"
    assert answer.solution is not None
    assert GappedKind().check(puzzle, answer.solution, truth).solved
    assert answer.outcome.counters["networks"] == 0


@pytest.mark.parametrize("search", ["annealing", "tree"])
def test_missing_patches_leave_holes(search: str) -> None:
    whole, truth = cut(grid="3x4", gap=0)
    lost = 2 * whole.piece_bytes
    puzzle = replace(whole, pixels=whole.pixels[:-lost])
    answer = pipeline.solve(puzzle, solver="deep", time_s=30, search=search, model="pixels", visits=200)
    assert answer.verdict.valid and not answer.verdict.violations
    assert isinstance(answer.solution, Placement)
    laid = [patch for row in answer.solution.pieces for patch in row]
    assert laid.count(-1) == 2
    right = sum(
        a == b
        for row, there in zip(answer.solution.pieces, truth.pieces, strict=True)
        for a, b in zip(row, there, strict=True)
    )
    assert right >= 8


@pytest.mark.parametrize(("model", "asked"), [("auto", "ramp"), ("steep", "steep")])
def test_asks_the_network(model: str, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, gaps in (("ramp", [10, 30]), ("steep", [0, 5])):
        write(tmp_path, name, gaps=gaps)
    monkeypatch.setattr(networks, "shipped", lambda: tmp_path)
    networks.loaded.cache_clear()
    puzzle, truth = grey_ramp(3, 3, gap=20)
    answer = pipeline.solve(puzzle, time_s=30, model=model, threads=1)
    assert answer.outcome.counters["networks"] == 1
    assert networks.loaded.cache_info().currsize == 1
    assert networks.session(asked, 1) and networks.loaded.cache_info().currsize == 1, "it was this one"
    networks.loaded.cache_clear()
    assert isinstance(answer.solution, Placement)
    assert [patch for row in answer.solution.pieces for patch in row] == truth


def test_unknown_networks_are_refused() -> None:
    puzzle, _ = cut()
    with pytest.raises(Refused, match="no network 'nobody'"):
        pipeline.solve(puzzle, solver="deep", time_s=1, model="nobody")


@pytest.mark.parametrize("search", ["annealing", "tree"])
def test_keeps_to_its_steps_and_tells_of_better_boards(search: str) -> None:
    puzzle, _ = cut(grid="4x4", hints="1")
    job = pipeline.Job(puzzle, "deep", Budget(steps=2000), 0, {"search": search, "model": "pixels"})
    job.warm_up()
    seen = list(job)
    assert seen and all(isinstance(progress.solution, Placement) for progress in seen)
    assert job.answer.outcome.status == "out_of_budget"
    assert seen[-1].steps <= 2000
    assert job.answer.verdict.valid and not job.answer.verdict.violations


def test_counters_are_plain_numbers() -> None:
    puzzle, _ = cut()
    counters = pipeline.solve(puzzle, solver="deep", time_s=30, model="pixels").outcome.counters
    assert {"steps", "score", "proved", "margin", "sure", "least_sure", "networks"} <= counters.keys()
    assert 0 <= counters["least_sure"] <= counters["sure"] <= 1
    json.dumps(dict(counters))
