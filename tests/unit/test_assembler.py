"""The assembler: every sort of jigsaw it takes, what its answers depend on, when it ends, what it tells on the way."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.errors import BadUsage
from dovetail.core.puzzle import EMPTY, Placement, Verdict
from dovetail.core.solver import Budget, Clock, Outcome, Progress
from dovetail.jigsaw import assembler, candidates, driving, lines
from dovetail.jigsaw.assembler import Assembler, Settings
from dovetail.jigsaw.assembly import Assembly
from dovetail.jigsaw.cutting import bagged, built_in, cut, listed
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.scores import judge
from dovetail.workers import Inline
from support.command import dovetail
from support.jigsaws import Looks, ended, finished, noise

NOISE = noise((5, 6), (6, 6), 1)  # nothing belongs together, so that everything stays in doubt


def run(
    puzzle: Jigsaw, seed: int = 0, clock: Clock | None = None, **settings: Any
) -> tuple[list[Progress], Outcome, Placement]:
    """What is told on the way, how it ends, and the answer."""
    return ended(Assembler().solve(puzzle, Settings(**{"workers": 1, **settings}), clock or Clock(Budget()), seed))


def picture(name: str, height: int = 28, width: int = 28, rows: int = 8, cols: int = 8) -> Pixels:
    """The middle of a photograph, where there is something to see, in pieces of one side."""
    pixels = built_in(name)
    top, left = (pixels.shape[0] - rows * height) // 2, (pixels.shape[1] - cols * width) // 2
    part = pixels[top : top + rows * height, left : left + cols * width]
    return cut(part, height, width).reshape(rows, cols, 1, height, width, -1)


ASTRONAUT, COFFEE, CHELSEA = picture("astronaut"), picture("coffee"), picture("chelsea")
TWO_SIDED = np.concatenate([ASTRONAUT, COFFEE[:, ::-1]], axis=2)
STRANGE = CHELSEA[2:5, 2:5].reshape(-1, 1, 28, 28, 3)


def bag(pictures: Sequence[Pixels], seed: int = 1, **how: Any) -> tuple[Jigsaw, Placement]:
    return bagged(pictures, np.random.default_rng(seed), **how)


def solved(pictures: Sequence[Pixels], effort: str = "best", **how: Any) -> tuple[Jigsaw, Placement, Verdict]:
    """A puzzle made so, the answer, and that it is right to the last piece."""
    puzzle, truth = bag(pictures, **how)
    _, outcome, answer = run(puzzle, effort=effort)
    verdict = judge(puzzle, answer, truth)
    assert outcome.status == "complete"
    assert verdict.solved, (verdict.violations, verdict.scores)
    assert verdict.scores["perfect"] == 1
    return puzzle, answer, verdict


# every sort of jigsaw


@pytest.mark.parametrize("effort", ["fast", "best"])
@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("pixels", [ASTRONAUT, COFFEE, CHELSEA], ids=["astronaut", "coffee", "chelsea"])
def test_photographs_upright_and_turned(pixels: Pixels, rotate: bool, effort: str) -> None:
    solved([pixels], effort, rotate=rotate)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_part_that_joined_astray_does_not_stay_there(seed: int) -> None:
    """A block of the left rim first finds a place at the right, where it leaves no room for what belongs there."""
    pixels = built_in("chelsea")
    rows, cols = pixels.shape[0] // 20, pixels.shape[1] // 20
    pieces = cut(pixels[: 20 * rows, : 20 * cols], 20, 20).reshape(rows, cols, 1, 20, 20, -1)
    puzzle, truth = bag([pieces], seed=0)
    assert judge(puzzle, run(puzzle, seed, effort="fast")[2], truth).solved


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("frame", [False, True])
def test_two_sided_pieces(rotate: bool, frame: bool) -> None:
    _, answer, _ = solved([TWO_SIDED], rotate=rotate, frame=frame)
    over = np.array(answer.turns) >= 4
    assert over.any() and not over.all(), "some are listed with their back up"


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize(("height", "width"), [(24, 36), (36, 24)])
def test_pieces_that_are_not_square(height: int, width: int, frame: bool, rotate: bool) -> None:
    puzzle, answer, _ = solved([picture("chelsea", height, width, 7, 7)], rotate=rotate, frame=frame)
    assert {turn for row in answer.turns for turn in row} <= set(puzzle.turns)


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("frame", [False, True])
def test_missing_pieces_leave_holes(rotate: bool, frame: bool) -> None:
    puzzle, answer, _ = solved([ASTRONAUT], rotate=rotate, frame=frame, missing=0.1)
    assert puzzle.count == 58
    assert sum(piece == EMPTY for row in answer.pieces for piece in row) == 6


@pytest.mark.parametrize("rotate", [False, True])
def test_a_frame_that_nobody_knows_is_found(rotate: bool) -> None:
    _, answer, _ = solved([picture("coffee", rows=6, cols=10)], rotate=rotate, frame=False)
    assert sorted([len(answer.pieces), len(answer.pieces[0])]) == [6, 10]


@pytest.mark.parametrize("frame", [False, True])
def test_foreign_pieces_are_left_out_and_named(frame: bool) -> None:
    puzzle, answer, verdict = solved([ASTRONAUT], strange=STRANGE, frame=frame)
    left = sorted({*range(puzzle.count)} - {piece for row in answer.pieces for piece in row})
    assert verdict.remarks == (f"9 pieces are left out as foreign: {', '.join(map(str, left))}",)
    assert [tuple(puzzle.array[piece].ravel()) in {tuple(one.ravel()) for one in STRANGE} for piece in left] == [
        True
    ] * 9
    assert (verdict.scores["foreign_left_out"], verdict.scores["own_left_out"]) == (1, 0)


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("number", [2, 3])
def test_pictures_in_one_bag_are_separated(number: int, rotate: bool) -> None:
    pictures = [ASTRONAUT, COFFEE, picture("chelsea", rows=6, cols=9)][:number]
    _, _, verdict = solved(pictures, rotate=rotate)
    assert verdict.scores["pictures"] == verdict.scores["pictures_original"] == number
    assert verdict.scores["enhanced_neighbour"] == verdict.scores["enhanced_direct"] == 1


def test_one_picture_is_not_torn_apart_because_there_might_be_several() -> None:
    puzzle, truth = bag([ASTRONAUT], frame=False)
    puzzle = replace(puzzle, mixed=True)
    verdict = judge(puzzle, run(puzzle)[2], truth)
    assert verdict.solved and verdict.scores["pictures"] == 1


@pytest.mark.parametrize(("rows", "cols"), [(1, 12), (12, 1), (2, 2), (1, 2), (2, 1)])
def test_frames_of_any_shape(rows: int, cols: int) -> None:
    solved([picture("coffee", rows=rows, cols=cols)])


@pytest.mark.parametrize("change", ["grey", "deep", "alpha"])
def test_pixels_of_any_sort(change: str) -> None:
    pixels = {
        "grey": ASTRONAUT[..., :1],
        "deep": ASTRONAUT.astype(np.uint16) * 257,
        "alpha": np.concatenate([ASTRONAUT, np.full_like(ASTRONAUT[..., :1], 255)], axis=-1),
    }[change]
    solved([pixels])


@pytest.mark.parametrize(
    "puzzle",
    [
        listed(np.zeros((6, 4, 4, 3), np.uint8), (2, 3)),
        listed(np.zeros((6, 4, 4, 3), np.uint8), (2, 3), rotate=True),
        listed(np.zeros((6, 4, 4, 3), np.uint8), (2, 4)),
        noise((2, 3), (2, 2), 0, channels=1),
        replace(NOISE, rotate=True),
        replace(NOISE, rows=6),
        replace(NOISE, rows=2, cols=3, foreign=True),
    ],
    ids=["flat", "flat, turned", "flat, missing", "tiny", "noise, turned", "noise, missing", "noise, foreign"],
)
def test_what_shows_nothing_is_laid_in_the_frame_all_the_same(puzzle: Jigsaw) -> None:
    _, outcome, answer = run(puzzle, effort="fast")
    assert outcome.status == "complete" and judge(puzzle, answer, None).valid
    laid = [piece for row in answer.pieces for piece in row if piece != EMPTY]
    assert puzzle.rows is not None and puzzle.cols is not None
    assert len(laid) == min(puzzle.count, puzzle.rows * puzzle.cols)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("puzzle", [NOISE, listed(np.zeros((10, 4, 4, 3), np.uint8))], ids=["noise", "flat"])
def test_without_a_frame_every_piece_is_laid_too(puzzle: Jigsaw, rotate: bool, mixed: bool) -> None:
    puzzle = replace(puzzle, rows=None, cols=None, rotate=rotate, mixed=mixed)
    verdict = judge(puzzle, run(puzzle, effort="fast")[2], None)
    assert (verdict.valid, verdict.violations) == (True, ())


def test_holes_stay_holes_when_foreign_pieces_could_fill_them() -> None:
    puzzle, answer, _ = solved([ASTRONAUT], strange=STRANGE, missing=0.1, frame=False)
    assert puzzle.count == 58 + 9
    assert sum(piece == EMPTY for row in answer.pieces for piece in row) == 6


# what an answer depends on


@pytest.mark.parametrize("how", [{}, {"rotate": True}, {"frame": False, "missing": 0.2}])
def test_workers_and_slices_change_nothing(how: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, _ = bag([picture("coffee", 10, 10)], **how)

    def answers(workers: int) -> tuple[Any, Outcome]:
        told, outcome, _ = run(puzzle, 5, workers=workers, effort="fast")
        return [event for event in told if event.solution is not None], outcome

    once = answers(1)
    assert once[1].counters["moves"] > 0, "it had something to do"
    assert answers(2) == answers(3) == once
    monkeypatch.setattr(candidates, "BLOCK_NUMBERS", 5000)
    monkeypatch.setattr(candidates, "SLICE_EDGES", 17)
    monkeypatch.setattr(lines, "BLOCK_EDGES", 50)
    assert answers(2) == once


def test_the_seed_decides() -> None:
    seeds, puzzle = (0, 1, 2, 2**63, 2**200), noise((5, 6), (6, 6), 3)
    found = [run(puzzle, seed, effort="fast")[2] for seed in seeds]
    assert [run(puzzle, seed, effort="fast")[2] for seed in seeds] == found
    assert len(set(found)) > 1


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("sides", [1, 2])
def test_what_annealing_says_it_gained_is_what_the_total_gained(sides: int, missing: float, rotate: bool) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (5, 3, sides, 4, 4, 1)).astype(np.uint8)
    for frame in (False, True):
        puzzle, _ = bag([pixels], rotate=rotate, missing=missing, frame=frame)
        assembly = Assembly(puzzle, *finished(candidates.found(puzzle, Inline()))[:2], seed=0, chains=1)
        for _ in range(30):
            before = assembly.total()
            gained = assembly.anneal(0, 200, 7.0, 0.8)
            assert assembly.total() == before + gained


# when it ends


def test_out_of_steps_is_out_of_budget() -> None:
    whole = run(NOISE)[1]
    for steps in (1, 1000):
        clock = Clock(Budget(steps=steps))
        _, outcome, answer = run(NOISE, clock=clock)
        assert (outcome.status, outcome.counters["moves"]) == ("out_of_budget", steps)
        assert clock.steps == steps < whole.counters["moves"]
        assert judge(NOISE, answer, None).valid


@pytest.mark.parametrize(
    "puzzle",
    [NOISE, replace(NOISE, rows=None, cols=None), replace(NOISE, rows=2, cols=3, foreign=True), replace(NOISE, rows=6)],
    ids=["frame", "no frame", "more pieces than cells", "fewer pieces than cells"],
)
def test_out_of_time_while_comparing_gives_pieces_as_given(puzzle: Jigsaw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "BLOCK_NUMBERS", 1)
    monkeypatch.setattr(candidates, "SLICE_EDGES", 2)
    for looks in (0, 1, 30):
        told, outcome, answer = run(puzzle, clock=Looks(looks))
        assert not [event for event in told if event.solution is not None]
        assert (outcome.status, outcome.counters) == ("out_of_budget", {"moves": 0})
        assert judge(puzzle, answer, None).valid


def test_out_of_time_at_any_moment_gives_a_valid_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembler, "SLICE", 1000)
    ends = set()
    for looks in range(0, 40, 3):
        clock = Looks(looks)
        _, outcome, answer = run(NOISE, clock=clock, effort="fast")
        assert judge(NOISE, answer, None).valid
        assert clock.steps == outcome.counters["moves"], "what was not finished is not booked"
        ends.add((outcome.status, outcome.counters["moves"] > 0))
    assert ends >= {("out_of_budget", False), ("out_of_budget", True)}


def test_fast_tries_less() -> None:
    fast, best = (run(NOISE, effort=effort)[1] for effort in ("fast", "best"))
    assert fast.status == best.status == "complete"
    assert 0 < fast.counters["moves"] < best.counters["moves"]
    assert fast.counters["log_odds"] <= best.counters["log_odds"]


def test_a_run_that_nobody_watches_to_the_end_leaves_no_thread() -> None:
    before = threading.active_count()
    work = Assembler().solve(NOISE, Settings(workers=2), Clock(Budget()), 0)
    next(work)
    assert threading.active_count() > before
    work.close()
    assert threading.active_count() == before


# what it tells


@pytest.mark.parametrize("puzzle", [NOISE, replace(NOISE, rows=6)], ids=["full", "with holes"])
def test_progress_has_boards_that_only_get_better(puzzle: Jigsaw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembler, "SLICE", 5000)
    told, outcome, answer = run(puzzle)
    shown = [event for event in told if event.solution is not None]
    assert len(shown) > 2 and shown == told[-len(shown) :]
    joined = [event for event in shown if event.best_name == "pieces joined"]
    assert joined and joined == shown[: len(joined)]
    numbers = [event.best for event in joined]
    assert numbers == sorted(numbers) and numbers[0] < numbers[-1] <= puzzle.count == joined[0].goal
    for event in joined:
        assert isinstance(event.solution, Placement)
        assert sum(piece >= 0 for row in event.solution.pieces for piece in row) == event.best
    shown = shown[len(joined) :]
    for event in shown:
        assert (event.unit, event.best_name, event.goal) == ("moves", "log odds", None)
        assert isinstance(event.solution, Placement) and judge(puzzle, event.solution, None).valid
    assert [event.steps for event in shown] == sorted(event.steps for event in shown)
    totals = [event.best for event in shown]
    assert totals == sorted(totals) and totals[-1] > totals[0]
    assert shown[-1].solution == answer
    moves, odds = shown[-1].steps, pytest.approx(totals[-1])
    assert outcome.counters == {"moves": moves, "log_odds": odds, "on_grid": 0, "worn": 1}, "noise looks like wear"


def test_glances_while_comparing_count_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "GLANCE_S", 0.0)
    monkeypatch.setattr(candidates, "BLOCK_NUMBERS", 1)
    told, _, _ = run(NOISE, effort="fast")
    comparing = [event for event in told if event.best_name == "edges compared"]
    shares = [event.best for event in comparing]
    assert shares == sorted(shares) and len(set(shares)) > 10
    assert all(event.goal == 4 * 30 and event.best <= event.goal for event in comparing)


# through the pipeline and the command line


@pytest.mark.parametrize(
    "puzzle",
    [
        NOISE,
        replace(NOISE, rotate=True),
        replace(NOISE, rows=6),
        replace(NOISE, rows=None, cols=None),
        replace(NOISE, foreign=True),
        replace(NOISE, rows=None, cols=None, mixed=True),
        replace(NOISE, rows=None, cols=None, height=3, sides=2),
    ],
)
def test_auto_is_the_assembler_for_all_jigsaws(puzzle: Jigsaw) -> None:
    chosen, why = registry.choose(puzzle)
    assert (chosen.name, why) == ("assembler", "it takes every picture jigsaw")


def test_refuses_other_puzzles() -> None:
    fit = Assembler().accepts(pipeline.read("terracotta-3x4"))
    assert (fit.accepted, fit.why) == (False, "it puts pictures together, and this is a terracotta puzzle")


def test_refuses_settings_that_are_none() -> None:
    with pytest.raises(BadUsage, match="effort"):
        pipeline.solve(NOISE, effort="slow")
    result = dovetail("solve", "jigsaw-small", "--set", "effort=slow")
    assert result.status == 2 and result.is_one_sentence() and "fast" in result.err and "best" in result.err


def test_a_time_budget_is_kept() -> None:
    answer = pipeline.solve(replace(NOISE, rotate=True), time_s=0.0)
    assert answer.outcome.status == "out_of_budget" and answer.verdict.valid and not answer.passes


def test_warming_up_leaves_nothing_to_compile() -> None:
    """Every kernel that a run needs was compiled for the very types that it is called with."""
    from dovetail.jigsaw import annealing, comparing, growing, joining, poses

    def compiled() -> dict[str, int]:
        found = {f"{part.__name__}.{name}": each for part in parts for name, each in vars(part).items()}
        return {name: len(each.signatures) for name, each in found.items() if hasattr(each, "signatures")}

    parts = (annealing, comparing, growing, joining, poses)
    Assembler().warm_up(NOISE, Settings())
    before = compiled()
    assert before["dovetail.jigsaw.annealing.anneal"]
    cases: list[tuple[list[Pixels], dict[str, Any]]] = [
        ([COFFEE], {}),
        ([COFFEE], {"rotate": True, "missing": 0.2}),
        ([TWO_SIDED], {"frame": False}),
        ([ASTRONAUT, COFFEE], {"rotate": True}),
        ([ASTRONAUT], {"strange": STRANGE}),
    ]
    for pictures, how in cases:
        run(bag(pictures, **how)[0], effort="fast")
    assert compiled() == before


def test_from_a_picture_to_pieces_to_a_film(tmp_path: Path) -> None:
    """Two-sided, turned, foreign pieces among them, the frame not told."""
    made = dovetail(
        "make", "jigsaw", "--set", "image=chelsea", "--set", "back=coffee", "--set", "piece=40", "--set", "rotate=true",
        "--set", "foreign=0.1", "--set", "frame=false", "--out", "puzzle.png", "--truth", "truth.json",
    )  # fmt: skip
    assert made.status == 0, made.err
    result = dovetail("solve", "puzzle.png", "--solution", "laid.json", "--out", "laid.png", "--film", "film.webp")
    assert result.status == 0, result.out + result.err
    assert "auto chose assembler: it takes every picture jigsaw" in result.err
    assert "pieces are left out as foreign: " in result.out
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("laid.png", "film.webp"))
    checked = dovetail("check", "puzzle.png", "laid.json", "--truth", "truth.json")
    assert checked.status == 0 and checked.out.startswith("solved"), checked.out


def test_a_film_shows_its_boards(tmp_path: Path) -> None:
    """The pieces, a first board, better ones."""
    (tmp_path / "noise.png").write_bytes(pipeline.convert(NOISE, "png"))
    assert dovetail("solve", "noise.png", "--film", "frames/").status == 0
    assert len(list((tmp_path / "frames").iterdir())) >= 3
