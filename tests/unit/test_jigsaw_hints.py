"""Hints: what is read, what contradicts itself, and that every answer keeps to them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail.core.errors import BadInput, BadUsage, Refused
from dovetail.core.puzzle import EMPTY, Placement, solution_to_json
from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.jigsaw.assembler import Assembler, Settings
from dovetail.jigsaw.cutting import bagged, built_in, cut, listed
from dovetail.jigsaw.gapped import Gapped, with_gaps
from dovetail.jigsaw.hints.checking import broken
from dovetail.jigsaw.hints.told import Lies, carried, carried_back, seen_from
from dovetail.jigsaw.puzzle import Jigsaw, JigsawKind
from support.command import dovetail as command
from support.jigsaws import finished, noise

KIND = JigsawKind()
NOISE = noise((4, 5), (6, 6), 1)  # nothing belongs together, so that nothing but hints decides
TURNED = replace(noise((4, 4), (6, 6), 2), rotate=True)


def told(puzzle: Jigsaw, **hints: Any) -> Jigsaw:
    return KIND.with_hints(puzzle, hints, Path())


def solved(puzzle: Jigsaw, steps: int = 6000, **settings: Any) -> tuple[Placement, Outcome]:
    given = Settings(**{"effort": "fast", "workers": 1, **settings})
    outcome = finished(Assembler().solve(puzzle, given, Clock(Budget(steps=steps)), 0))
    assert isinstance(outcome.solution, Placement)
    return outcome.solution, outcome


def pin(piece: int, row: int, column: int, **more: int) -> dict[str, int]:
    return {"piece": piece, "row": row, "column": column, **more}


def beside(piece: int, side: str, other: int, **more: int) -> dict[str, int]:
    return {"piece": piece, side: other, **more}


# how pieces lie


def test_what_is_carried_there_is_carried_back() -> None:
    for turn in range(8):
        for other in range(8):
            lies, by = Lies(0, 1, other), Lies(3, 4, turn)
            assert carried_back(carried(lies, by), by) == lies
            # seen from the other one, the first lies where the other sees it
            back = seen_from(lies)
            assert carried(back, lies) == Lies(0, 0, 0)


def test_a_neighbour_turns_with_its_piece() -> None:
    """Pixel by pixel: two pieces side by side, the board turned."""
    board = np.array([[0, 1]])
    for turn in range(4):
        rows, cols = np.nonzero(np.rot90(board, turn) == 0)
        one = Lies(int(rows[0]), int(cols[0]), turn)
        rows, cols = np.nonzero(np.rot90(board, turn) == 1)
        assert carried(Lies(0, 1, 2), one) == Lies(int(rows[0]), int(cols[0]), (2 + turn) % 4)


# reading


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        ([], "a JSON object with some of pins"),
        ({"pin": []}, "no hints called 'pin'"),
        ({"pins": {}}, "are a list"),
        ({"pins": [3]}, "pins 1 of the hints is not an object"),
        ({"pins": [pin(20, 1, 1)]}, "there is no piece 20 (0 to 19)"),
        ({"pins": [pin(1, 0, 1)]}, "'row' is from 1 to 4, not 0"),
        ({"pins": [pin(1, 1, 6)]}, "'column' is from 1 to 5, not 6"),
        ({"pins": [{"piece": 1, "row": 1}]}, "'column' is from 1 to 5, not None"),
        ({"pins": [pin(1, 1, 1, turn=1)]}, "a turn is one of 0 here, not 1"),
        ({"pins": [pin(1, 1, 1, col=1)]}, "'col' is not known there"),
        ({"neighbours": [{"piece": 1}]}, "one of above, right, below, left"),
        ({"neighbours": [{"piece": 1, "right": 2, "left": 3}]}, "one of above, right, below, left"),
        ({"neighbours": [{"piece": 1, "right": 1}]}, "names piece 1 twice"),
        ({"neighbours": [{"pieces": [1]}]}, "two numbers as 'pieces'"),
        ({"neighbours": [{"piece": "1", "right": 2}]}, "'piece' is the number of a piece, counted from 0"),
        ({"locked": [{"rows": [1, 2]}]}, "needs an 'answer'"),
        ({"locked": [{"answer": "nowhere.json"}]}, "cannot read nowhere.json"),
    ],
)
def test_what_is_no_hint_is_named(hints: Any, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        KIND.with_hints(NOISE, hints, Path())
    assert said in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        ({"pins": [pin(1, 1, 1), pin(1, 2, 2)]}, ["piece 1 cannot lie in two places", "pins 1", "pins 2"]),
        ({"pins": [pin(1, 1, 1), pin(2, 1, 1)]}, ["two pieces cannot lie at row 1, column 1", "pins 1 (piece 1"]),
        (
            {"neighbours": [{"piece": 1, "right": 2}, {"piece": 1, "right": 3}]},
            ["pieces 2 and 3 would lie in one cell", "neighbours 1", "neighbours 2"],
        ),
        (
            {"neighbours": [beside(1, "right", 2), beside(2, "below", 3), beside(3, "left", 4), beside(4, "above", 5)]},
            ["pieces 1 and 5 would lie in one cell", "neighbours 4"],
        ),
        (
            {"neighbours": [{"piece": 1, "right": 2}, {"piece": 2, "right": 1}]},
            ["piece 2 lies otherwise", "neighbours 1 (piece 2 right of piece 1)"],
        ),
        (
            {"neighbours": [{"piece": 1, "right": 2}], "apart": [{"pieces": [2, 1]}]},
            ["pieces 2 and 1 touch", "neighbours 1", "apart 1 (pieces 2 and 1)"],
        ),
        (
            {"pins": [pin(1, 2, 2), pin(2, 2, 3)], "apart": [{"piece": 1, "right": 2}]},
            ["touch", "pins 1", "pins 2", "apart 1"],
        ),
        (
            {"pins": [pin(1, 1, 5)], "neighbours": [{"piece": 1, "right": 2}]},
            ["piece 2 would lie outside the frame of 4x5", "pins 1", "neighbours 1"],
        ),
        (
            {"neighbours": [{"piece": n, "below": n + 1} for n in range(4)]},
            ["the frame of 4x5 does not hold 5x1 pieces", "neighbours 1"],
        ),
        (
            {"pins": [pin(1, 2, 2), pin(2, 3, 3)], "neighbours": [{"piece": 1, "right": 2}]},
            ["piece 2 lies otherwise", "pins 2", "neighbours 1"],
        ),
    ],
)  # fmt: skip
def test_contradictions_are_explained_before_any_work(hints: Any, said: list[str]) -> None:
    with pytest.raises(BadInput) as refused:
        told(NOISE, **hints)
    for words in said:
        assert words in str(refused.value)
    assert len(str(refused.value)) < 400


def test_hints_that_agree_are_no_contradiction() -> None:
    told(
        NOISE,
        pins=[pin(1, 1, 1), pin(1, 1, 1), pin(2, 1, 2)],
        neighbours=[{"piece": 1, "right": 2}, {"piece": 2, "left": 1}],
    )
    told(NOISE, apart=[{"piece": 1, "right": 2}], neighbours=[{"piece": 1, "below": 2}])
    told(TURNED, pins=[pin(1, 1, 1), pin(1, 1, 1, turn=2)])


def test_hints_are_no_part_of_a_puzzle() -> None:
    hinted = told(NOISE, pins=[pin(1, 1, 1)])
    assert hinted.digest == NOISE.digest and hinted == NOISE
    assert "hint" not in json.dumps(hinted.header())


def test_other_puzzles_and_solvers_refuse_hints_in_a_sentence() -> None:
    with pytest.raises(BadUsage, match="terracotta puzzles take no hints about their answer"):
        dovetail.solve("terracotta", hints={"pins": []})
    with pytest.raises(Refused, match="genetic refuses this puzzle: it has hints"):
        dovetail.solve(NOISE, hints={"pins": [pin(1, 1, 1)]}, solver="genetic")
    with pytest.raises(BadInput, match="several pictures"):
        told(replace(NOISE, rows=None, cols=None, mixed=True), pins=[pin(1, 1, 1)])


# solving: of noise, where nothing but hints decides


FREE: dict[str, Any] = {"rows": None, "cols": None}
TWO = listed(noise((12, 2), (6, 6), 3).array.reshape(-1, 2, 6, 6, 3), (3, 4), True)
HINTS: dict[str, tuple[Jigsaw, dict[str, Any]]] = {
    "pins": (NOISE, {"pins": [pin(0, 1, 1), pin(7, 4, 5), pin(3, 2, 3)]}),
    "pins and neighbours": (
        NOISE,
        {"pins": [pin(0, 2, 2)], "neighbours": [beside(0, "right", 9), beside(9, "below", 4), beside(11, "left", 12)]},
    ),
    "a side nobody knows": (NOISE, {"neighbours": [{"pieces": [1, 2]}, {"pieces": [2, 3]}, {"pieces": [3, 4]}]}),
    "apart": (NOISE, {"apart": [{"pieces": [a, b]} for a in range(3) for b in range(10, 18)]}),
    "everything": (
        NOISE,
        {
            "pins": [pin(5, 4, 1)], "neighbours": [{"piece": 6, "above": 7}],
            "apart": [{"piece": 5, "right": 8}, {"pieces": [5, 9]}],
        },
    ),
    "turned": (TURNED, {"pins": [pin(0, 1, 1, turn=3), pin(5, 4, 4)], "neighbours": [beside(2, "right", 3, turn=1)]}),
    "turned, nothing else known": (TURNED, {"neighbours": [{"piece": 2, "right": 3}, {"pieces": [4, 5]}]}),
    "holes": (replace(NOISE, rows=5), {"pins": [pin(0, 5, 5), pin(1, 5, 4)]}),
    "foreign": (replace(NOISE, foreign=True, rows=3, cols=4), {"pins": [pin(0, 3, 4), pin(19, 1, 1)]}),
    "no frame": (replace(NOISE, **FREE), {"pins": [pin(0, 1, 1), pin(7, 3, 5)], "neighbours": [beside(1, "left", 2)]}),
    "no frame, turned": (replace(TURNED, **FREE), {"pins": [pin(0, 7, 7, turn=1), pin(5, 6, 9, turn=2)]}),
    "mixed": (replace(NOISE, mixed=True, **FREE), {"neighbours": [{"piece": 1, "left": 2}]}),
    "two sides": (TWO, {"pins": [pin(0, 1, 1, turn=6)], "neighbours": [{"piece": 2, "right": 3, "turn": 5}]}),
    "gaps": (with_gaps(NOISE, 2, ((4, 4),)), {"pins": [pin(0, 4, 5)]}),
}  # fmt: skip


@pytest.mark.parametrize("name", HINTS)
def test_answers_keep_to_hints(name: str) -> None:
    puzzle, hints = HINTS[name]
    hinted = told(puzzle, **hints)
    answer, outcome = solved(hinted, seams="pixels")
    verdict = dovetail.check(hinted, answer)
    assert verdict.valid and broken(hinted, answer) == [] and not verdict.violations
    if isinstance(puzzle, Gapped):
        assert answer.pieces[0][4] == 4, "its own hint"
    assert abs(outcome.counters["log_odds"]) < 1e4, "what is told is no part of the odds"
    laid = [piece for row in answer.pieces for piece in row if piece != EMPTY]
    assert len(set(laid)) == len(laid)
    if not puzzle.foreign:
        assert len(laid) == puzzle.count


@pytest.mark.parametrize("name", ["everything", "turned", "no frame"])
def test_the_checker_notices_hints_that_are_not_kept(name: str) -> None:
    puzzle, hints = HINTS[name]
    answer, _ = solved(puzzle)
    found = broken(told(puzzle, **hints), answer)
    assert found and all(" is not kept" in fault for fault in found)
    verdict = dovetail.check(told(puzzle, **hints), answer)
    assert verdict.valid and verdict.solved is False and set(found) <= set(verdict.violations)


def test_a_run_cut_short_keeps_to_pins() -> None:
    hinted = told(NOISE, pins=[pin(0, 1, 1), pin(7, 4, 5)])
    for steps in (0, 1, 500):
        answer, outcome = solved(hinted, steps=steps)
        assert broken(hinted, answer) == []
        assert steps or outcome.status == "out_of_budget"


def test_the_same_hints_give_the_same_answer_on_any_number_of_threads() -> None:
    hinted = told(TURNED, pins=[pin(0, 1, 1)], neighbours=[{"pieces": [4, 5]}])
    assert solved(hinted)[0] == solved(hinted, workers=2)[0]


# solving: of a picture


def photograph() -> tuple[Jigsaw, Placement]:
    pieces = cut(built_in("coffee")[40:208, 120:344], 28, 28).reshape(6, 8, 1, 28, 28, 3)
    return bagged([pieces], np.random.default_rng(0))


def test_locked_regions_stay_and_the_rest_is_solved_again(tmp_path: Path) -> None:
    puzzle, truth = photograph()
    pieces = [list(row) for row in truth.pieces]
    pieces[0], pieces[1] = pieces[1], pieces[0]  # wrong above
    earlier = Placement(tuple(map(tuple, pieces)), truth.turns)
    (tmp_path / "laid.json").write_text(json.dumps(solution_to_json(earlier, puzzle)))
    hints = {"locked": [{"answer": "laid.json", "rows": [3, 6]}, {"answer": "laid.json", "pieces": [pieces[2][0]]}]}
    hinted = KIND.with_hints(puzzle, hints, tmp_path)
    answer, _ = solved(hinted)
    assert answer == truth
    part = {"locked": [{"answer": earlier, "rows": [1, 2], "columns": [3, 4]}]}
    hinted = KIND.with_hints(puzzle, part, tmp_path)
    answer, _ = solved(hinted)
    assert [row[2:4] for row in answer.pieces[:2]] == [tuple(row[2:4]) for row in pieces[:2]], "even if that is wrong"
    for hint, said in (
        ({"rows": [3, 9]}, "from 1 to 6"),
        ({"rows": [4, 3]}, "the first one first"),
        ({"pieces": [truth.pieces[0][0]], "rows": [5, 6]}, "does not lie there"),
    ):
        with pytest.raises(BadInput, match=said):
            KIND.with_hints(puzzle, {"locked": [{"answer": "laid.json", **hint}]}, tmp_path)
    contradiction = {"locked": [{"answer": earlier}], "pins": [pin(truth.pieces[5][0], 1, 1)]}
    with pytest.raises(BadInput, match=r"row 1, column 1: pins 1 .* and locked 1 "):
        KIND.with_hints(puzzle, contradiction, tmp_path)


def test_the_command_line_takes_hints(tmp_path: Path) -> None:
    puzzle, truth = photograph()
    (tmp_path / "puzzle.json").write_text(json.dumps(puzzle.to_json()))
    (tmp_path / "hints.json").write_text(json.dumps({"pins": [pin(truth.pieces[2][3], 3, 4)]}))
    (tmp_path / "wrong.json").write_text(json.dumps({"pins": [pin(truth.pieces[2][3], 3, 5)]}))
    files = [tmp_path / name for name in ("puzzle.json", "hints.json", "laid.json")]
    result = command("solve", files[0], "--hints", files[1], "--solution", files[2], "--json", "--set", "effort=fast")
    assert result.status == 0
    assert result.report["hints"] == {"pins": [pin(truth.pieces[2][3], 3, 4)]}
    assert result.report["puzzle"]["digest"] == puzzle.digest
    assert command("check", files[0], files[2], "--hints", files[1]).status == 0
    refused = command("check", files[0], files[2], "--hints", tmp_path / "wrong.json")
    assert refused.status == 1 and f"pins 1 (piece {truth.pieces[2][3]} at row 3, column 5) is not kept" in refused.out
    assert command("solve", "terracotta", "--hints", files[1]).is_one_sentence()
    assert command("solve", files[0], "--hints", files[1], "--solution", files[1]).is_one_sentence()
    assert command("check", files[0], "--hints", files[1]).is_one_sentence()
