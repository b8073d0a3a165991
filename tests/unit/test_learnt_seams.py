"""Seams judged by a network: its vectors and their turns, odds against rivals, who is refused, boards put together."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from dovetail.core import registry
from dovetail.core.errors import BadInput, Refused
from dovetail.core.puzzle import Placement
from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.jigsaw import candidates, learnt_seams
from dovetail.jigsaw.assembler import BOTH, NETWORK, PIXELS, Assembler, Settings
from dovetail.jigsaw.candidates import KEPT, WORST, Paired
from dovetail.jigsaw.cutting import bagged, built_in, cut
from dovetail.jigsaw.deep import networks
from dovetail.jigsaw.gapped import Gapped, Making, with_gaps
from dovetail.jigsaw.gapped_cutting import made
from dovetail.jigsaw.gapped_scores import judge
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.poses import EAST, NORTH, SOUTH, UNIT, VOID, WEST
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.scores import judge as judge_jigsaw
from dovetail.workers import Inline
from support.jigsaws import ended, finished
from support.networks import network, write

ACROSS, ALONG = 300.0, 600.0  # how sharply the network by hand compares left and right, and up and down


def with_sides() -> bytes:
    """A network that compares facing rims by the square of how far their mean colours differ.

    -k (a - b)² is the product of (-k a², 2 k a, -k) and (1, b, b²).
    """
    model = onnx.load_from_string(network())
    graph, each = model.graph, []

    def step(operator: str, inputs: list[str], output: str, **options: Any) -> str:
        graph.node.append(helper.make_node(operator, inputs, [output], **options))
        return output

    def constant(name: str, value: float, type_: int = TensorProto.FLOAT) -> str:
        graph.initializer.append(helper.make_tensor(name, type_, [1], [value]))
        return name

    constant("middle", 1, TensorProto.INT64)
    for rim, sharp, asking in (("ends", ACROSS, 1), ("begins", 0, 0), ("bottoms", ALONG, 1), ("tops", 0, 0)):
        square = step("Mul", [rim, rim], f"{rim}_square")
        nothing = step("Mul", [rim, constant(f"{rim}_zero", 0)], f"{rim}_nothing")
        one = step("Add", [nothing, constant(f"{rim}_unit", 1)], f"{rim}_one")
        parts = [one, rim, square]
        if asking:
            factors = zip([square, rim, one], (-sharp, 2 * sharp, -sharp), strict=True)
            parts = [
                step("Mul", [part, constant(f"{rim}_by_{k}", by)], f"{rim}_part_{k}")
                for k, (part, by) in enumerate(factors)
            ]
        each.append(step("Unsqueeze", [step("Concat", parts, f"{rim}_vector", axis=1), "middle"], f"{rim}_side"))
    step("Concat", each, "sides", axis=1)
    graph.output.append(helper.make_tensor_value_info("sides", TensorProto.FLOAT, ["n", 4, 3]))
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "by-hand", with_sides())
    return tmp_path


def patches(count: int) -> NDArray[np.uint8]:
    """Every rim has a colour of its own."""
    rng = np.random.default_rng(count)
    flat = rng.integers(60, 200, (count, 1, 1, 3)).repeat(40, axis=1).repeat(40, axis=2)
    for rims in (flat[:, 0], flat[:, -1], flat[:, :, 0], flat[:, :, -1]):
        rims += rng.integers(-50, 50, (count, 1, 3))
    return flat.astype(np.uint8)


def puzzle_of(pixels: NDArray[np.uint8], rows: int | None, cols: int | None, **more: Any) -> Jigsaw:
    return Jigsaw(40, 40, 3, 8, pixels.tobytes(), rows, cols, **more)


def rims(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Mean colours of the edges. [pieces, 4]"""
    edges = {NORTH: pixels[:, 0], EAST: pixels[:, :, -1], SOUTH: pixels[:, -1], WEST: pixels[:, :, 0]}
    return np.stack([edges[side].mean(axis=(1, 2)) / 255 for side in range(4)], axis=1)


def paired(puzzle: Jigsaw, folder: Path, with_pixels: bool) -> Paired:
    return finished(learnt_seams.paired(puzzle, Inline(), False, with_pixels, 1, folder))


# vectors


def test_products_of_vectors_are_what_the_network_says(folder: Path) -> None:
    pixels = patches(5)
    asking, asked = finished(learnt_seams.encoded(puzzle_of(pixels, 1, 5), 1, folder))
    products, means = (asking @ asked.T).reshape(5, 4, 5, 4), rims(pixels)
    for ours, theirs, sharp in ((EAST, WEST, ACROSS), (WEST, EAST, ACROSS), (SOUTH, NORTH, ALONG)):
        expected = -sharp * (means[:, ours, None] - means[:, theirs]) ** 2
        assert np.allclose(products[:, ours, :, theirs], expected, atol=2e-3)


def test_of_pieces_that_may_be_turned_any_two_edges_are_compared_on_all_four_boards(folder: Path) -> None:
    pixels = patches(5)
    asking, asked = finished(learnt_seams.encoded(puzzle_of(pixels, 1, 5, rotate=True), 1, folder))
    means = rims(pixels).ravel()
    expected = -(ACROSS + ALONG) / 2 * (means[:, None] - means) ** 2  # two boards show them side by side
    assert np.allclose(asking @ asked.T, expected, atol=4e-3)


def test_pieces_are_encoded_in_batches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = puzzle_of(patches(10), 2, 5, rotate=True)
    at_once, _ = finished(learnt_seams.encoded(puzzle, 1, folder))
    monkeypatch.setattr(learnt_seams, "BATCH", 3)
    work = learnt_seams.encoded(puzzle, 1, folder)
    shares = [next(work) for _ in range(16)]
    assert shares == sorted({*shares}) and shares[0] > 0.3 and shares[-1] == pytest.approx(0.9)
    assert np.array_equal(finished(learnt_seams.encoded(puzzle, 1, folder))[0], at_once)


def test_a_network_that_does_not_tell_its_sides(tmp_path: Path) -> None:
    write(tmp_path, "silent")
    with pytest.raises(BadInput, match=r"the network silent .* no output 'sides'"):
        finished(learnt_seams.encoded(puzzle_of(patches(4), 2, 2), 1, tmp_path))


# odds


def told(pixels: NDArray[np.uint8], one: tuple[int, int], other: tuple[int, int]) -> float:
    """The logit of two edges, each a piece and a side."""
    means = rims(pixels)
    return -(ACROSS if one[1] in (EAST, WEST) else ALONG) * float(means[one] - means[other]) ** 2


def against_rivals(pixels: NDArray[np.uint8], piece: int, side: int, other: int) -> float:
    """How a pair stands, in plain Python."""
    facing, count = (side + 2) % 4, len(pixels)
    own = told(pixels, (piece, side), (other, facing))
    ours = [told(pixels, (piece, side), (k, facing)) for k in range(count) if k not in (piece, other)]
    theirs = [told(pixels, (k, side), (other, facing)) for k in range(count) if k not in (piece, other)]
    sums = [own - math.log(sum(math.exp(logit) for logit in rivals)) for rivals in (ours, theirs)]
    return sum(min(max(each, -12), 9) for each in sums) / 2


@pytest.mark.parametrize("with_pixels", [False, True])
def test_odds_are_how_a_pair_stands_and_what_its_pixels_say(folder: Path, with_pixels: bool) -> None:
    pixels = patches(6)
    puzzle = puzzle_of(pixels, 2, 3)
    edges, weights, means, on_grid, *_ = paired(puzzle, folder, with_pixels)
    by_pixels = finished(candidates.paired(puzzle, Inline(), False))
    scale = learnt_seams.SCALES[False, with_pixels]
    for edge in range(24):
        piece, side = divmod(edge, 4)
        listed = {int(other): int(w) for other, w in zip(edges[edge], weights[edge], strict=True) if other != VOID}
        assert {*listed} == {4 * k + (side + 2) % 4 for k in range(6) if k != piece}, "all that may face it, few enough"
        said = dict(zip(by_pixels.edges[edge].tolist(), by_pixels.weights[edge].tolist(), strict=True))
        for other, weight in listed.items():
            odds = scale.network * against_rivals(pixels, piece, side, other // 4) + scale.offset
            odds += scale.pixels * said.get(other, WORST) / UNIT
            assert weight == pytest.approx(min(max(UNIT * odds, WORST), -WORST), abs=3)
    assert not on_grid and np.array_equal(means, by_pixels.means)


@pytest.mark.parametrize("rotate", [False, True])
def test_lists_are_sorted_and_weigh_the_same_from_either_edge(folder: Path, rotate: bool) -> None:
    edges, weights, *_ = paired(puzzle_of(patches(70), 7, 10, rotate=rotate), folder, True)
    assert edges.shape == (280, KEPT) and edges.dtype == weights.dtype == np.int32
    assert (np.diff(weights, axis=1)[edges[:, 1:] != VOID] <= 0).all()
    pairs = {(e, int(o)): int(weights[e, k]) for e in range(280) for k, o in enumerate(edges[e]) if o != VOID}
    assert len(pairs) > 1000
    assert all(pairs[other, edge] == weight for (edge, other), weight in pairs.items())
    assert all(edge // 4 != other // 4 for edge, other in pairs)
    if not rotate:
        assert all((edge - other) % 4 == 2 for edge, other in pairs)


def test_pieces_that_look_alike_stand_in_the_lists_once_and_may_face_each_other(folder: Path) -> None:
    pixels = patches(6)
    pixels[4] = pixels[1]
    edges, *_ = paired(puzzle_of(pixels, 2, 3), folder, True)
    assert (edges[16:20] == VOID).all() and not (edges // 4 == 4).any()
    assert 4 * 1 + WEST in edges[4 * 1 + EAST]


def test_two_pieces_have_no_rivals(folder: Path) -> None:
    edges, weights, *_ = paired(puzzle_of(patches(2), 1, 2), folder, False)
    assert edges[EAST, 0] == 4 + WEST and weights[EAST, 0] > 0 and np.isfinite(weights).all()


# the assembler


def photograph(name: str, grid: str, patch: int = 40, gap: int = 4) -> tuple[Gapped, Placement]:
    return made(built_in(name), Making(grid=grid, patch=patch, gap=gap), 1)


def run(puzzle: Jigsaw, **settings: Any) -> tuple[Outcome, Placement]:
    _, outcome, answer = ended(
        Assembler().solve(puzzle, Settings(**{"workers": 1, **settings}), Clock(Budget()), seed=0)
    )
    return outcome, answer


@pytest.mark.parametrize(("name", "seams"), [("camera", NETWORK), ("chelsea", BOTH)])
def test_the_network_that_is_shipped_puts_a_photograph_together(name: str, seams: str) -> None:
    puzzle, truth = photograph(name, "4x6")
    outcome, answer = run(puzzle, seams=seams, effort="fast")
    assert outcome.status == "complete" and outcome.counters["networks"] == 1
    assert judge(puzzle, answer, truth).scores["neighbour"] >= 0.95


def test_the_network_sees_across_gaps_what_pixels_do_not() -> None:
    puzzle, truth = photograph("camera", "4x6")
    assert judge(puzzle, run(puzzle, seams=PIXELS)[1], truth).scores["neighbour"] < 0.9


def test_turned_pieces_too() -> None:
    pixels: Pixels = cut(built_in("coffee")[:200, 100:300], 40, 40).reshape(5, 5, 1, 40, 40, -1)
    puzzle, truth = bagged([pixels], np.random.default_rng(1), rotate=True)
    _, answer = run(puzzle, seams=NETWORK, effort="fast")
    assert judge_jigsaw(puzzle, answer, truth).scores["neighbour"] >= 0.9


def test_auto_asks_the_network_where_there_are_gaps() -> None:
    puzzle, _ = photograph("coffee", "2x3", patch=12, gap=1)
    assert "networks" in run(puzzle, effort="fast")[0].counters
    assert "networks" not in run(replace(puzzle, gap=0), effort="fast")[0].counters
    assert "networks" not in run(puzzle, effort="fast", seams=PIXELS)[0].counters


def test_threads_change_nothing() -> None:
    puzzle, _ = photograph("astronaut", "5x5", patch=16, gap=2)
    one, two = (run(puzzle, effort="fast", workers=workers) for workers in (1, 2))
    assert one == two


def test_out_of_time_while_pieces_are_encoded() -> None:
    puzzle, _ = photograph("coffee", "2x3", patch=12, gap=1)
    _, outcome, answer = ended(Assembler().solve(puzzle, Settings(), Clock(Budget(wall_s=0.0)), seed=0))
    assert outcome.status == "out_of_budget" and answer.pieces == ((0, 1, 2), (3, 4, 5))


@pytest.mark.parametrize("seams", [NETWORK, BOTH])
@pytest.mark.parametrize(
    ("change", "why"),
    [({"height": 20}, "40x20, and the network sees square ones"), ({"height": 20, "sides": 2}, "two sides")],
)
def test_refuses_what_the_network_cannot_see(change: dict[str, Any], why: str, seams: str) -> None:
    puzzle = puzzle_of(patches(4), None, None)
    puzzle = replace(puzzle, **change)
    with pytest.raises(Refused, match=why):
        Assembler().check_settings(puzzle, Settings(seams=seams))
    Assembler().check_settings(puzzle, Settings())
    Assembler().check_settings(puzzle, Settings(seams=PIXELS))


def test_boards_that_are_too_large_for_deep_are_for_the_assembler() -> None:
    large = with_gaps(puzzle_of(patches(156), 12, 13), 4)
    solver, why = registry.choose(large)
    assert (solver.name, why) == ("assembler", "a network looks across the gaps for it, and no board is too large")
    assert registry.choose(with_gaps(puzzle_of(patches(144), 12, 12), 4))[0].name == "deep"


def test_warming_up_loads_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(networks, "session", lambda name, threads: asked.append((name, threads)))
    puzzle, _ = photograph("coffee", "2x3", patch=40, gap=16)
    Assembler().warm_up(puzzle, Settings(workers=3))
    Assembler().warm_up(puzzle, Settings(workers=3, seams=PIXELS))
    assert asked == [("far", 3)]
