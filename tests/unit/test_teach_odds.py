"""benchmarks/teach_odds.py: it knows who faces whom, and what it learns tells neighbours from strangers."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail.jigsaw import grid, grid_seams, odds
from dovetail.jigsaw.comparing import INPUTS
from dovetail.jigsaw.cutting import built_in, cut, shuffled
from dovetail.jigsaw.poses import EAST, NORTH, SOUTH, VOID, WEST

SCRIPT = Path(dovetail.__file__).parents[2] / "benchmarks" / "teach_odds.py"


@pytest.fixture(scope="module")
def script() -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("teach_odds", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_second_picture_is_chosen_beginning_in_turn(script: Any, tmp_path: Path) -> None:
    for folder in "abc":
        (tmp_path / folder).mkdir()
        for number in range(5):
            (tmp_path / folder / f"{number}.png").touch()
    found = [f"{path.parent.name}{path.stem}" for path in script.chosen([tmp_path / folder for folder in "abc"])]
    assert found == ["a0", "a2", "a4", "b1", "b3", "c0", "c2", "c4"]


def test_edges_face_each_other_as_in_the_picture(script: Any) -> None:
    """Pieces are numbered by their one colour; turned, another of their own edges is on that side."""
    pixels = np.arange(6, dtype=np.uint8).reshape(2, 3).repeat(4, axis=0).repeat(4, axis=1)[..., None]
    for seed in range(4):
        puzzle, truth = shuffled(cut(pixels, 4, 4), 2, 3, np.random.default_rng(seed), rotate=True)
        piece = {int(face[0, 0, 0]): number for number, face in enumerate(puzzle.array)}  # by its place in the picture
        turn = {truth.pieces[row][col]: truth.turns[row][col] for row in range(2) for col in range(3)}

        def edge(place: int, side: int, piece: dict[int, int] = piece, turn: dict[int, int] = turn) -> int:
            return 4 * piece[place] + (side + turn[piece[place]]) % 4

        faced = script.facing(truth, 6)
        assert faced[edge(0, EAST)] == edge(1, WEST) and faced[edge(1, WEST)] == edge(0, EAST)
        assert faced[edge(1, SOUTH)] == edge(4, NORTH) and faced[edge(4, NORTH)] == edge(1, SOUTH)
        assert faced[edge(0, NORTH)] == faced[edge(3, WEST)] == faced[edge(5, SOUTH)] == VOID
        assert (faced == VOID).sum() == 10


def test_slopes_are_those_of_the_surprise(script: Any) -> None:
    rng = np.random.default_rng(0)
    weights = tuple(rng.normal(size=shape) for shape in ((3, 4), (4,), (4,), ()))
    inputs, right = rng.normal(size=(20, 3)), rng.random(20) < 0.5

    def surprise(changed: Any) -> float:
        found = script.odds_of(changed, inputs)[1]
        return float(np.mean(np.logaddexp(0, found) - right * found))

    for number, slope in enumerate(script.slopes(weights, inputs, right)):
        for at in np.ndindex(np.shape(slope)):
            step = np.zeros(np.shape(slope))
            step[at] = 1e-5
            more, less = ([*weights[:number], weights[number] + way * step, *weights[number + 1 :]] for way in (1, -1))
            assert slope[at] == pytest.approx((surprise(more) - surprise(less)) / 2e-5, abs=1e-7)


def test_what_is_learned_tells_neighbours_from_strangers_in_another_picture(script: Any) -> None:
    small = (script.Lesson(6, 7, False, 1.0), script.Lesson(6, 7, True, 0.5))
    rng = np.random.default_rng(5)
    parts = script.puzzles(map(built_in, ("chelsea", "coffee")), lambda _: small, rng)
    found = script.learned([script.examples(part, False) for part in parts], steps=300)
    assert found.keys() == {"into", "bias", "out", "shift"}
    weights = tuple(np.array(found[name]) for name in found)
    assert [each.shape for each in weights] == [np.shape(each) for each in odds.pairs(grid=False)]
    lesson = script.Lesson(8, 8, True, 1.0)
    (part,) = script.puzzles([built_in("astronaut")], lambda _: [lesson], np.random.default_rng(1))
    pairs = script.examples(part, False)
    assert pairs.inputs.shape == (len(pairs.right), INPUTS) and 150 < pairs.right.sum() <= 2 * 2 * 8 * 7
    guessed = script.odds_of(weights, pairs.inputs.astype(np.float64))[1]
    neighbours, strangers = guessed[pairs.right], guessed[~pairs.right]
    assert np.median(neighbours) > 1 > -2 > np.median(strangers)
    higher = np.searchsorted(np.sort(strangers), neighbours).mean() / len(strangers)
    assert higher > 0.97, "of a neighbour and a stranger the neighbour has the larger odds"


def test_squares_are_learned_from_by_one_network_after_the_other(script: Any) -> None:
    """In the end the pairs it learned from are less surprising than they were by themselves."""
    small = (script.Lesson(9, 12, False, 1.0), script.Lesson(8, 9, True, 1.0))
    rng = np.random.default_rng(5)
    parts = script.puzzles(map(built_in, ("chelsea", "coffee")), lambda _: small, rng)
    puzzles = [script.Squares(part, False) for part in parts]

    def surprise(puzzle: Any) -> float:
        listed, said = puzzle.edges != VOID, puzzle.weights / 64
        return float((np.logaddexp(0, said) - puzzle.right * said)[listed].sum())

    before, pairs = sum(map(surprise, puzzles)), [int(puzzle.right.sum()) for puzzle in puzzles]
    assert min(pairs) > 200
    models = script.learned_loops(puzzles, steps=600)
    assert len(models) == script.LOOKS and len({str(model) for model in models}) == len(models)
    assert sum(map(surprise, puzzles)) < 0.7 * before
    assert [int(puzzle.right.sum()) for puzzle in puzzles] == pairs, "what is right stays beside what is listed"


def test_what_the_grid_says_is_learned_too_where_there_is_one(script: Any) -> None:
    rng = np.random.default_rng(5)
    pictures = [pixels for pixels, _ in script.compressions(built_in("astronaut"), rng)]
    parts = script.puzzles(pictures[1:3], lambda _: [script.Lesson(5, 6, False, 1.0)], rng)
    scaled, compressed = (script.examples(part, True) for part in parts)
    assert scaled.inputs.shape[1] == INPUTS, "what was scaled has none, what was compressed since has"
    assert compressed.inputs.shape[1] == INPUTS + grid.TOLD + grid_seams.TOLD == len(odds.pairs(grid=True)[0])
    told = compressed.inputs[:, INPUTS]
    assert told[compressed.right].mean() > 1 > 0 > told[~compressed.right].mean()


def test_the_grid_is_learned_from_pictures_compressed_and_not(script: Any) -> None:
    """In a picture it has not seen, it then knows most of the places."""
    rng = np.random.default_rng(5)
    parts = [
        script.steps_of(*each, rng)
        for name in ("coffee", "rocket")
        for each in script.compressions(built_in(name), rng)[1:]
    ]
    weights = np.array(script.learned_grid(parts))
    assert weights.shape == odds.grid().shape
    for pixels, kind in script.compressions(built_in("astronaut"), rng)[2:]:
        folded, places = script.steps_of(pixels, kind, rng)
        scores = grid.inputs(folded) @ weights
        assert (scores[:, kind].argmax(axis=1) == places - kind.start).mean() > 0.5
