"""The paper's own P and V: boards drawn and made up as they should be, networks that learn, and judge a search."""

import importlib
import json
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch

import dovetail
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import EMPTY
from dovetail.core.solver import Progress
from dovetail.jigsaw.deep import paper, paper_boards, paper_training, states, train
from dovetail.jigsaw.deep.data import Shape
from dovetail.jigsaw.deep.game import Judging
from dovetail.jigsaw.deep.paper import PaperJudge, PaperNetworks, PaperSizes
from dovetail.jigsaw.deep.paper_boards import JUDGED, LEARNT, Boards, Crops
from dovetail.jigsaw.deep.paper_training import Lesson, Teaching
from dovetail.jigsaw.deep.planning import Attempts, Planning, finished
from dovetail.jigsaw.deep.rendering import Canvas, ImageJudge

SCRIPT = Path(dovetail.__file__).parents[2] / "benchmarks" / "alphazzle_studies.py"
SMALL = Shape(2, 2, 2, patch=16)
NINE = Shape(3, 3, 4)
TINY = PaperSizes(8, (8, 16, 16), 1, 8, 32)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # networks this small only wait for each other


def pictures(count: int, seed: int = 0) -> np.ndarray:
    """Redder to the right, greener below, brighter or darker, and with some waves: [count, 3, 224, 224]."""
    chance = np.random.default_rng(seed)
    down, right = np.mgrid[0:224, 0:224] / 224
    made = []
    for _ in range(count):
        across, high, bright = chance.uniform(2, 9, 2), chance.uniform(0, 6, 2), chance.uniform(0.6, 1.0)
        waves = np.sin(across[0] * down + high[0]) * np.cos(across[1] * right + high[1])
        made.append(255 * bright * np.stack([right, down, (waves + 1) / 2]))
    return np.array(made).astype(np.uint8)


def lively(networks: PaperNetworks, seed: int = 0) -> PaperNetworks:
    """Networks whose normalisations do something, as after learning."""
    chance = torch.Generator().manual_seed(seed)
    for module in networks.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1, generator=chance)
            module.running_var.uniform_(0.5, 2, generator=chance)
            module.weight.data.uniform_(0.5, 1, generator=chance)
    networks.eval()
    return networks


@pytest.mark.parametrize(("rows", "cols", "gap"), [(2, 3, 3), (3, 2, 0)])
def test_boards_are_drawn_as_numpy_draws_them(rows: int, cols: int, gap: int) -> None:
    chance = np.random.default_rng(1)
    patches = chance.integers(0, 256, (2, 6, 5, 5, 3), dtype=np.uint8)
    laid = np.stack([np.where(chance.random(6) < 0.6, chance.permutation(6), EMPTY) for _ in range(8)])
    puzzles = chance.integers(0, 2, 8)
    expected = Canvas(patches, rows, cols, gap, 8).draw(puzzles, laid)
    planes = paper.coloured(torch.from_numpy(np.moveaxis(patches, 4, 2)))
    setting = Shape(rows, cols, gap, patch=5)
    drawn = paper.rendered(planes, torch.from_numpy(puzzles), torch.from_numpy(laid), setting)
    assert drawn.shape[2:] == setting.pixels
    np.testing.assert_allclose(drawn.numpy(), expected, atol=1e-6)


def test_puzzles_are_cut_with_patches_of_any_size() -> None:
    some = torch.from_numpy(pictures(3))
    assert Crops(some, 5).draw(Shape(2, 3, 8, patch=96), 4).shape == (4, 6, 3, 96, 96)
    seen = paper_boards.seen(some, SMALL)
    assert seen.shape == (3, 4, 3, 16, 16)
    assert -1 <= float(seen.min()) < 0 < float(seen.max()) <= 1


def test_boards_without_mistakes() -> None:
    laid, order, number = Boards(NINE, "cpu", 3).right(200, 2, 9)
    assert {*number.tolist()} == {*range(2, 10)}
    assert torch.equal((laid != EMPTY).sum(1), number)
    assert bool(((laid == EMPTY) | (laid == torch.arange(9))).all())
    for board, patches, placed in zip(laid.tolist(), order.tolist(), number.tolist(), strict=True):
        assert sorted(patches) == [*range(9)]
        assert {cell for cell in range(9) if board[cell] != EMPTY} == {*patches[:placed]}
    assert bool((Boards(NINE, "cpu", 3, central=True).right(200, 0, 9)[0][:, 4] == 4).all())


@pytest.mark.parametrize("central", [False, True])
@pytest.mark.parametrize("name", [*JUDGED, "learnt"])
def test_boards_with_mistakes(name: str, central: bool) -> None:
    mix = {**JUDGED, "learnt": LEARNT}[name]
    boards = Boards(NINE, "cpu", 5, central)
    laid = boards.wrong(300, 0, 9, mix)
    wrong = (laid != EMPTY) & (laid != torch.arange(9))
    assert bool(wrong.any(1).all())
    for board in laid.tolist():
        patches = [patch for patch in board if patch != EMPTY]
        assert len({*patches}) == len(patches)
    if central:
        assert bool((laid[:, 4] == 4).all())
    full = boards.wrong(300, 9, 9, mix)
    assert bool((full.sort(1).values == torch.arange(9)).all())
    mistakes = {*(full != torch.arange(9)).sum(1).tolist()}
    if name == "one swap":
        assert mistakes == {2}
    if name == "any number":
        assert mistakes == {*range(2, 9 if central else 10)}
    if name == "shift" and not central:
        grids = full.view(-1, 3, 3)
        assert bool((((grids.diff(dim=1) % 9 == 3).all(2).all(1)) | (grids.diff(dim=2) % 3 == 1).all(2).all(1)).all())


def test_the_aims_of_v() -> None:
    """Equation 3, and 1 where all patches lie, or all but one."""
    assert paper_boards.aim(torch.arange(10), 9).tolist() == [0.5 + k / 16 for k in range(9)] + [1.0]


def test_the_judge_says_what_the_networks_say() -> None:
    """Folded, drawn on the device, P and V at once and from memory: the same plays as by numpy and two networks."""
    networks = lively(PaperNetworks(SMALL, TINY))
    some = pictures(3)
    test = paper_training.shuffled(paper_boards.seen(torch.from_numpy(some), SMALL), SMALL, 2)
    as_bytes = ((test.patches + 1) * 127.5).round().byte()
    test = test._replace(patches=paper.coloured(as_bytes))
    judge = PaperJudge(networks, test.patches)

    def policy(boards: np.ndarray, patches: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            said = networks.policy(torch.from_numpy(boards), torch.from_numpy(patches)).softmax(1)
        return np.asarray(said)

    def value(boards: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            said = networks.value(torch.from_numpy(boards))
        return np.asarray(said)

    plain = ImageJudge(Canvas(np.moveaxis(as_bytes.numpy(), 2, 4), 2, 2, 2, 64), policy, value)
    for planning in (
        Planning(visits=15, orders=2),
        Planning(visits=15, judging=Judging(truth=True)),
        Planning(way="policy"),
        Planning(way="value"),
    ):
        plays = [[*finished(paper_training.playing(test, one, planning, 4))] for one in (judge, plain)]
        for ours, theirs in zip(*plays, strict=True):
            np.testing.assert_array_equal(ours.boards, theirs.boards)
            np.testing.assert_allclose(ours.values, theirs.values, atol=1e-5)
    seen = judge.evaluated
    assert 0 < seen < plain.asked
    again = [*finished(paper_training.playing(test, judge, Planning(visits=15, orders=2), 4))]
    assert judge.evaluated == seen and len(again) == 3


def test_it_learns_and_goes_on() -> None:
    """A tiny P on boards of four beats chance by far, V sees some mistakes; a saved state goes on as if nothing was."""
    learn, unseen = torch.from_numpy(pictures(12)), torch.from_numpy(pictures(8, seed=1))
    work = Teaching(Lesson(SMALL, TINY, puzzles=24, asked=2, rate=3e-3, colours=0.05, seed=2), "cpu")
    lines = [*work.run(learn, seconds=50, steps=100)]
    assert [line["step"] for line in lines] == [100]
    assert lines[0].keys() == {"step", "seconds", "rate", "policy", "value", "policy right", "value right"}
    patches, boards = paper_boards.seen(unseen, SMALL), Boards(SMALL, "cpu", 9)
    for placed, least in ((0, 0.5), (1, 0.6)):  # chance: 0.25, 0.33
        assert paper_training.policy_right(work.average, patches, boards, placed, 8)["all cells"] > least
    whole = paper_training.value_right(work.average, patches, boards, 4, JUDGED["by chance"], 8)
    assert whole["nearer"] > 0.75  # chance: 0.5

    states.write(Path("state"), work.state())
    other = Teaching(work.lesson, "cpu")
    other.take_up(states.read(Path("state")))
    assert (other.step, other.seconds) == (work.step, work.seconds)
    for one in (work, other):
        one.seconds = 0.0
        assert [*one.run(learn, seconds=50, steps=103)] == [] and one.step == 103
    pairs = zip(work.average.state_dict().values(), other.average.state_dict().values(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)

    before = {name: value.clone() for name, value in work.networks.state_dict().items()}
    said = work.fine_tune(Crops(learn, 3), visits=4, puzzles=5, passes=1)
    assert said["epoch"] == 1 and said["boards"] == 5 * 5
    moved = {name for name, value in work.networks.state_dict().items() if not torch.equal(value, before[name])}
    assert moved and not any("running" in name for name in moved)


def test_files_of_networks() -> None:
    networks = lively(PaperNetworks(SMALL, TINY))
    paper.write_networks(networks, Path("some.pt"))
    again = paper.read_networks(Path("some.pt"))
    assert (again.setting, again.sizes) == (SMALL, TINY)
    assert again.value.extractor is again.policy.extractor
    for name, weight in again.state_dict().items():
        torch.testing.assert_close(weight, networks.state_dict()[name], atol=1e-3, rtol=1e-3)
    Path("other.pt").write_bytes(b"nothing")
    with pytest.raises(BadInput, match=r"other\.pt holds no P and V"):
        paper.read_networks(Path("other.pt"))


def test_fewer_digits_teach_about_the_same() -> None:
    """A step in bfloat16, on the same boards."""
    learn, lesson = torch.from_numpy(pictures(12)), Lesson(SMALL, TINY, puzzles=24, asked=2, seed=2)
    exact, rough = (
        next(Teaching(each, "cpu").run(learn, seconds=50, steps=2, every=1))
        for each in (lesson, replace(lesson, bfloat16=True))
    )
    for name in ("policy", "value"):
        assert rough[name] == pytest.approx(exact[name], rel=0.05)
    assert rough["policy"] != exact["policy"]


def test_the_average_follows_the_networks() -> None:
    """The extractor too, which belongs to both P and V, by the same step."""
    work = Teaching(Lesson(SMALL, TINY), "cpu")
    for weight in work.networks.parameters():
        weight.data += 1.0
    before = [weight.clone() for weight in work.average.parameters()]
    work._follow(0.75)
    for old, new in zip(before, work.average.parameters(), strict=True):
        torch.testing.assert_close(new, old + 0.25)


def test_what_is_learnt_of_boards_the_search_met() -> None:
    """The truth for P, even where something else lies; 0 for V after a mistake, else equation 3."""
    test = paper_training.shuffled(paper_boards.seen(torch.from_numpy(pictures(2)), SMALL), SMALL, 2)
    judge = PaperJudge(PaperNetworks(SMALL, TINY).eval(), test.patches)
    met = paper_training.collected(test, paper_training.playing(test, judge, Planning(visits=6, orders=2), 1))
    assert met.laid.shape == (2 * 2 * 5, 4) and met.asked.shape == (20, 1)
    for row in range(20):
        laid, truth = met.laid[row].tolist(), test.solutions[int(met.puzzles[row])].tolist()
        placed = sum(patch != EMPTY for patch in laid)
        right = all(patch in (EMPTY, truth[cell]) for cell, patch in enumerate(laid))
        assert placed == row % 5
        assert float(met.aims[row]) == pytest.approx(min(1.0, 0.5 + 0.5 * placed / 3) if right else 0.0)
        following = int(met.asked[row])
        assert (following == EMPTY) == (placed == 4)
        if following != EMPTY:
            assert following not in laid and truth[int(met.cells[row])] == following


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module; it has another beside it."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    return importlib.import_module(SCRIPT.stem)


def test_all_studies_at_toy_size(
    script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row for each line of every table, once, in two parts."""

    def run(*given: str) -> str:
        monkeypatch.setattr(sys, "argv", [SCRIPT.name, *given])
        script.main()
        return capsys.readouterr().out

    np.save("learn.npy", pictures(6))
    np.save("judge.npy", pictures(6, seed=1))
    command = ("--toy", "--pictures", "learn.npy", "--judge", "judge.npy", "--out", "out", "--images", "made")
    run(*command)
    for name in ("paper.checkpoint", "tuned.checkpoint"):  # as on another machine, where only small files are brought
        Path("out", name).unlink()
    kept = [line for line in Path("out/rows.jsonl").read_text().splitlines() if json.loads(line)["table"] not in (5, 8)]
    Path("out/rows.jsonl").write_text("".join(f"{line}\n" for line in kept))
    run(*command)
    after = Path("out/rows.jsonl").read_text().splitlines()
    assert after[: len(kept)] == kept
    rows = [json.loads(line) for line in after]
    lines = [(row["table"], row["row"]) for row in rows]
    assert len({*lines}) == len(lines)
    numbers = [table for table, _ in lines]
    assert {table: numbers.count(table) for table in range(2, 13)} == {
        2: 1, 3: 2, 4: 3, 5: 4, 6: 3, 7: 2, 8: 2, 9: 8, 10: 2, 11: 8, 12: 2,
    }  # fmt: skip
    assert all(row["images"].startswith("made") and row["puzzles"] > 0 for row in rows)
    page = importlib.import_module("alphazzle_page")
    third = page.table(3, page.read(Path("out/rows.jsonl"))).splitlines()
    assert third[0].endswith("| puzzle: ours | puzzle: paper |") and third[3].startswith(
        "| ground truth (other sizes) | 6 | "
    )
    assert third[3].endswith(" | 70.5 |")


def test_one_command_teaches_p_and_v(tmp_path: Path) -> None:
    """Cut off and taken up again; then an epoch on the boards that the search meets."""
    from PIL import Image

    folder, out = tmp_path / "pictures", tmp_path / "out"
    folder.mkdir()
    for number, picture in enumerate(pictures(3)):
        Image.fromarray(picture.transpose(1, 2, 0)).save(folder / f"{number}.png")
    given = {"size": "small", "grid": "2x2", "patch": "16", "gap": "2", "puzzles": "6", "plays": "3", "visits": "2"}

    def lessons(steps: int, **more: str) -> Generator[Progress, None, None]:
        return train.training("paper", [str(folder)], out, str(folder), steps=steps, seed=1, given={**given, **more})

    cut_off = lessons(10)
    assert next(cut_off).steps == 5
    cut_off.close()
    lines = [event.details for event in lessons(10, epochs="1")]
    assert [line.get("epoch") for line in lines] == [None, 1]
    assert {path.name for path in out.iterdir()} == {
        "paper.checkpoint", "paper.jsonl", "paper.png",
        "paper-P.onnx", "paper-P.json", "paper-V.onnx", "paper-V.json",
    }  # fmt: skip
    card = json.loads((out / "paper-V.json").read_text())
    assert card["recipe"]["epochs"] == 1 and card["recipe"]["steps"] > 10 and card["pictures judged"] == 3
    assert 0 <= card["scores"]["policy right"] <= 1
    with pytest.raises(BadUsage, match="of 4 patches fewer can be hints than 4"):
        next(lessons(10, hints="4"))
    (out / "paper.checkpoint").write_bytes(b"no networks")
    with pytest.raises(BadInput, match=r"paper\.checkpoint is no checkpoint of Dovetail's"):
        next(lessons(10))


def test_plans_can_be_changed_by_words(script: Any) -> None:
    plan = script.changed(script.Plan(), {"sizes": {"channels": [8, 16, 16]}, "few": 7})
    assert plan.sizes == replace(script.Plan().sizes, channels=(8, 16, 16)) and plan.few == 7
    assert plan.visits == script.Plan().visits


def test_the_page_is_what_the_rows_say(script: Any) -> None:
    page = importlib.import_module("alphazzle_page")
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text, page.read()) == text, "out of date: python benchmarks/alphazzle_page.py"
    assert page.filled(text, page.read()[1:]) != text


def test_scores_of_attempts(script: Any) -> None:
    """Chosen by V, and the best and worst in truth."""
    truth = np.arange(4)
    boards = np.array([[0, 1, 3, 2], [0, 1, 2, 3], [1, 0, 3, 2]], np.int32)
    attempts = Attempts(boards, np.array([0.2, 0.1, 0.9]), np.tile(truth, (3, 1)).astype(np.int32))
    test = paper_training.Test(SMALL, torch.zeros(1, 4, 3, 16, 16), truth[None].astype(np.int32))
    found = script.Played([attempts], test.solutions[:1], 2, 0, 1.0).scores(3)
    assert found["chosen"] == {"patch": 0.0, "neighbour": 50.0, "puzzle": 0.0}  # columns have changed places
    assert found["best"] == {"patch": 100.0, "neighbour": 100.0, "puzzle": 100.0}
    assert found["worst"] == {"patch": 0.0, "neighbour": 50.0, "puzzle": 0.0}
    assert script.Played([attempts], test.solutions[:1], 2, 0, 1.0).scores(1) == {
        "chosen": {"patch": 50.0, "neighbour": 25.0, "puzzle": 0.0}
    }


def test_networks_as_files_for_a_cpu() -> None:
    networks = lively(PaperNetworks(SMALL, replace(TINY, layers=2)))
    boards, patches = torch.rand(5, 3, *SMALL.pixels) * 2 - 1, torch.rand(5, 3, 16, 16) * 2 - 1
    with torch.inference_mode():
        logits, values = networks.policy(boards, patches), networks.value(boards)
    paper.exported(networks.policy, SMALL, Path("P.onnx"))
    found = onnxruntime.InferenceSession("P.onnx").run(
        ["cells"], {"boards": boards.numpy(), "patches": patches.numpy()}
    )
    np.testing.assert_allclose(found[0], logits.numpy(), atol=0.05)
    paper.exported(networks.value, SMALL, Path("V.onnx"))
    found = onnxruntime.InferenceSession("V.onnx").run(["value"], {"boards": boards.numpy()})
    np.testing.assert_allclose(found[0], values.numpy(), atol=0.02)
