"""Programs with a variable for every block: solutions stay, dead ends go, proofs stay exact."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core.errors import Refused
from dovetail.core.puzzle import Placement
from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.tiles import highs, lifting
from dovetail.tiles.linear import Linear, Settings
from dovetail.tiles.linear_system import System, system
from dovetail.tiles.narrowing import blocks
from dovetail.tiles.puzzle import Tiles
from dovetail.tiles.representing import represent


def made(width: int, colours: int, seed: int, rotate: bool = False) -> tuple[Tiles, Placement]:
    given = {"width": width, "height": width, "colours": colours, "rotate": rotate, "frame": "coloured"}
    puzzle, answer = pipeline.make("tiles", seed, given)
    assert isinstance(puzzle, Tiles)
    assert isinstance(answer, Placement)
    return puzzle, answer


def lifted(plain: System) -> System:
    work = lifting.lifting(plain)
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: System = end.value
            return found


def outcome(puzzle: Tiles, **given: object) -> Outcome:
    settings = Settings(**given)  # type: ignore[arg-type]
    run = Linear().solve(puzzle, settings, Clock(Budget(wall_s=60)), 0)
    while True:
        try:
            next(run)
        except StopIteration as end:
            result: Outcome = end.value
            return result


@pytest.mark.parametrize("kind", ["tiles", "boxes", "hexagons"])
def test_ways_to_lay_a_block_by_enumeration(kind: str) -> None:
    given: dict[str, dict[str, object]] = {
        "tiles": {"width": 3, "height": 3, "colours": 3, "rotate": True},
        "boxes": {"shape": "2x2x2", "colours": 2},
        "hexagons": {"side": 2, "colours": 2},
    }
    plain = system(represent(pipeline.make(kind, 1, given[kind])[0]), blocks=False)
    preset = plain.preset
    looks = [plain.look[plain.location == at].tolist() for at in range(len(preset.points))]
    seen = 0
    for block in blocks(preset):
        (along, back), (down, up) = block.first, block.second
        for cells in zip(*(of.tolist() for of in block.locations), strict=True):
            slow = set()
            for four in product(*(looks[cell] for cell in cells)):
                a, b, c, d = preset.shows[list(four)]
                classes = preset.class_of[list(four)].tolist()
                if any(classes.count(one) > preset.stock[one] == 1 for one in classes):
                    continue
                if a[along] == b[back] and c[along] == d[back] and a[down] == c[up] and b[down] == d[up]:
                    slow.add(four)
            lists = [np.array(looks[cell]) for cell in cells]
            fast = lifting._laid(plain, block, lists)
            assert len(fast) == len(slow)
            assert {tuple(int(lists[k][at]) for k, at in enumerate(way)) for way in fast} == slow
            seen += len(slow)
    assert seen


@pytest.mark.parametrize("seed", range(4))
def test_the_planted_answer_is_a_point_of_it(seed: int) -> None:
    puzzle, answer = made(4, 3, seed)
    plain = system(represent(puzzle))
    tighter = lifted(plain)
    number = {colour: n for n, colour in enumerate(sorted({colour for tile in puzzle.tiles for colour in tile}))}
    sides = [[number[colour] for colour in puzzle.tiles[piece]] for row in answer.pieces for piece in row]
    right = np.array(
        [plain.preset.shows[look].tolist() == sides[at] for look, at in zip(plain.look, plain.location, strict=True)]
    )
    assert right.sum() == 16
    upper = np.ones(len(tighter.group))
    upper[: plain.variables] = right
    assert highs.run(tighter.program(np.zeros(plain.variables), upper=upper)).status == "optimal"


def test_it_solves_what_the_plain_program_leaves_fractional() -> None:
    puzzle, _ = made(6, 4, 1)
    plain = outcome(puzzle, iterations=1, restarts=0)
    tighter = outcome(puzzle, iterations=1, restarts=0, lift=True)
    assert plain.status == "partial" and plain.counters["fractional"] > 0
    assert tighter.status == "complete" and tighter.counters["variables"] > plain.counters["variables"]
    assert tighter.solution is not None
    assert pipeline.check(puzzle, tighter.solution).solved


def test_what_it_says_is_so_and_it_proves_more() -> None:
    """Puzzles with two sides exchanged: most have no solution, and depth-first search knows which."""
    rng, proofs = random.Random(4), {False: 0, True: 0}
    for seed in range(40):
        puzzle, _ = made(3, 2, seed)
        tiles = [list(tile) for tile in puzzle.tiles]
        (one, other), side = rng.sample(tiles, 2), rng.randrange(4)
        one[side], other[side] = other[side], one[side]
        spoilt = replace(puzzle, tiles=tuple((a, b, c, d) for a, b, c, d in tiles))
        known = pipeline.solve(spoilt, solver="depth-first").verdict
        solvable = known is not None and known.solved is True
        for lift in (False, True):
            found = outcome(spoilt, lift=lift, restarts=2)
            assert found.status != ("proved_none" if solvable else "complete")
            proofs[lift] += found.status == "proved_none"
    assert proofs[True] > proofs[False] > 0


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, _ = made(4, 2, 0)
    with pytest.raises(Refused, match="go with delta functions"):
        outcome(puzzle, lift=True, basis="cosine")
    monkeypatch.setattr(lifting, "MOST_LAID", 100)
    with pytest.raises(Refused, match="more than 100 blocks"):
        outcome(puzzle, lift=True)


def test_a_single_row_has_no_blocks() -> None:
    puzzle, _ = pipeline.make("boxes", 0, {"shape": "6", "colours": 6})
    plain = system(represent(puzzle))
    assert lifted(plain) is plain
