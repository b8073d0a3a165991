"""Shredded paper: made, read, judged; the strips of an answer lie as they did on the page."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import dovetail as package
from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import EMPTY, Placement
from dovetail.jigsaw.strips.cutting import scan, shredded
from dovetail.jigsaw.strips.pages import HEIGHT, WIDTH, page
from dovetail.jigsaw.strips.puzzle import Strips
from dovetail.jigsaw.strips.scores import blank_pieces
from support.command import dovetail


def made(**settings: object) -> tuple[Strips, Placement]:
    puzzle, truth = pipeline.make("strips", 3, {"image": "page", "strips": 12, **settings})
    assert isinstance(puzzle, Strips)
    assert isinstance(truth, Placement)
    return puzzle, truth


def swapped(solution: Placement, one: int, other: int) -> Placement:
    (pieces,), (turns,) = ([*solution.pieces], [*solution.turns])
    row, lying = [*pieces], [*turns]
    row[one], row[other] = row[other], row[one]
    lying[one], lying[other] = lying[other], lying[one]
    return Placement((tuple(row),), (tuple(lying),))


def test_pages_differ_by_seed_and_pages_of_a_document_by_their_words() -> None:
    first, again, second, other = page(7), page(7), page(7, 2), page(8)
    assert first.shape == (HEIGHT, WIDTH, 1)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, other)
    assert 0.01 < (first < 128).mean() < 0.5


@pytest.mark.parametrize(
    "settings",
    [{}, {"flip": True}, {"back": "text", "flip": True}, {"cross": "4x3"}, {"image": "page,text"}, {"lose": 0.2}],
)
def test_the_truth_shows_the_page(settings: dict[str, object]) -> None:
    puzzle, truth = made(**settings)
    assert pipeline.check(puzzle, truth, truth).solved
    shown = np.asarray(pipeline.draw(puzzle, truth).image())  # type: ignore[attr-defined]
    whole = scan("page")
    if settings.get("image") or settings.get("back") or settings.get("lose"):
        return
    assert np.array_equal(shown, whole[: shown.shape[0], : shown.shape[1], 0])


def test_a_strip_that_is_upside_down_or_elsewhere_is_wrong() -> None:
    puzzle, truth = made(flip=True)
    assert not pipeline.check(puzzle, swapped(truth, 3, 4), truth).solved
    turns = [*truth.turns[0]]
    turns[5] = 2 - turns[5]
    assert not pipeline.check(puzzle, Placement(truth.pieces, (tuple(turns),)), truth).solved


def test_a_page_as_a_whole_may_lie_upside_down() -> None:
    puzzle, truth = made(flip=True)
    turned = Placement((truth.pieces[0][::-1],), (tuple(2 - turn for turn in truth.turns[0][::-1]),))
    verdict = pipeline.check(puzzle, turned, truth)
    assert verdict.solved
    assert verdict.scores["upright"] == 0
    assert pipeline.check(puzzle, truth, truth).scores["upright"] == 1


def inked(*columns: int) -> np.ndarray:
    """A page of 8 strips, each 4 pixels wide, with different print on some of them."""
    paper = np.full((16, 32, 1), 250, np.uint8)
    for number, column in enumerate(columns):
        paper[2 + number : 9 + number, 4 * column : 4 * column + 4] = 10
    return paper


def test_blank_strips_are_as_good_as_each_other_and_margins_do_not_count() -> None:
    rng = np.random.default_rng(0)
    noisy = np.clip(inked(2, 3, 5, 6) + rng.normal(0, 2, (16, 32, 1)), 0, 255).astype(np.uint8)
    puzzle, truth = shredded([noisy], [], (1, 8), rng)
    assert sorted(truth.pieces[0].index(one) for one in np.flatnonzero(blank_pieces(puzzle))) == [0, 1, 4, 7]
    verdict = pipeline.check(puzzle, swapped(truth, 0, 4), truth)
    assert verdict.solved
    assert verdict.scores["perfect"] == 0
    row = truth.pieces[0]
    shifted = Placement(((*row[1:], row[0]),), truth.turns)
    assert pipeline.check(puzzle, shifted, truth).scores["perfect_content"] == 1
    assert not pipeline.check(puzzle, swapped(truth, 1, 2), truth).solved, "print between other print"
    assert not pipeline.check(puzzle, swapped(truth, 4, 7), truth).scores["perfect"]


def test_pages_of_a_bag_are_judged_one_by_one() -> None:
    rng = np.random.default_rng(0)
    puzzle, truth = shredded([inked(1, 2, 3, 5), inked(2, 4, 6, 7)[::-1]], [], (1, 8), rng)
    assert puzzle.pages is None
    assert truth.pieces[0][8] == EMPTY
    wrong = swapped(truth, 1, 2)
    scores = pipeline.check(puzzle, wrong, truth).scores
    assert (scores["pages_perfect"], scores["perfect_content"]) == (0.5, 0)
    other_way_round = Placement(((*truth.pieces[0][9:], EMPTY, *truth.pieces[0][:8]),), truth.turns)
    assert pipeline.check(puzzle, other_way_round, truth).solved


def test_a_scan_from_elsewhere_is_cut_where_strips_must_end(tmp_path: Path) -> None:
    puzzle, _ = made()
    faces = puzzle.faces[:, 0, :, :, 0]
    side_by_side = np.concatenate([*faces, faces[0][:, :2] * 0], axis=1)  # two columns too many
    path = tmp_path / "scan.png"
    Image.fromarray(side_by_side).save(path)
    read = pipeline.read_one(path, None, {"strips": 12})
    assert isinstance(read, Strips)
    assert (read.rows, read.cols, read.count) == (1, 12, 12)
    bag = pipeline.read_one(path, None, {"strips": 12, "pages": 2, "flip": True})
    assert isinstance(bag, Strips)
    assert (bag.pages, bag.rotate, bag.rows) == (2, True, None)
    shreds = pipeline.read_one(path, None, {"cross": "6x2"})
    assert isinstance(shreds, Strips)
    assert (shreds.down, shreds.count) == (2, 12)


def test_a_folder_of_strips(tmp_path: Path) -> None:
    puzzle, _ = made()
    for number, face in enumerate(puzzle.faces[:, 0, :, :, 0]):
        Image.fromarray(face).save(tmp_path / f"{number}.png")
    assert pipeline.read_one(tmp_path, None, {"strips": 12}) == puzzle
    with pytest.raises(BadUsage, match="there are 12"):
        pipeline.read_one(tmp_path, None, {"strips": 13})


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"cross": "6"}, "COLUMNSxROWS"),
        ({"cross": "100x100"}, "400"),
        ({"image": "page:x"}, "page:SEED"),
        ({"image": "page,text", "back": "text"}, "each page needs a back"),
        ({"image": "page,text", "lose": 0.1}, "lose is for one page"),
        ({"strips": 390}, "too many"),
        ({"image": "page:1", "font": "/nowhere.ttf"}, "TrueType"),
        ({"image": "page,page,page,page,page,page"}, "5 are the most"),
    ],
)
def test_what_cannot_be_made_is_said(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadUsage, match=sentence):
        made(**settings)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"pages": 2}, "set strips too"),
        ({"strips": 12, "cross": "2x6"}, "not both"),
        ({"strips": 12, "piece": "4"}, "piece cannot be set"),
        ({"strips": 12, "rows": 2}, "one row"),
        ({"strips": 12, "foreign": True}, "foreign"),
        ({"strips": 12, "cols": 5}, "more than 5 columns"),
        ({"strips": 350}, "too small"),
    ],
)
def test_what_cannot_be_read_is_said(settings: dict[str, object], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "scan.png"
    Image.fromarray(scan("page")[:, :, 0]).save(path)
    with pytest.raises((BadUsage, BadInput), match=sentence):
        pipeline.read_one(path, None, settings)


def test_a_file_of_ours_says_all_there_is(tmp_path: Path) -> None:
    puzzle, _ = made(image="page,text", flip=True, back="text,page", told=True)
    path = tmp_path / "bag.png"
    path.write_bytes(pipeline.convert(puzzle, "png"))
    assert pipeline.read(path) == puzzle
    with Image.open(io.BytesIO(path.read_bytes())) as image:
        assert image.width == puzzle.count * puzzle.width, "side by side, backs below"
    with pytest.raises(BadUsage, match="pages cannot be set to 3"):
        pipeline.read_one(path, None, {"pages": 3})
    with pytest.raises(BadInput, match="mixed"):
        registry.kind("strips").decode({**puzzle.encode(), "pages": 1})


def test_hints_are_not_taken(tmp_path: Path) -> None:
    puzzle, _ = made()
    with pytest.raises(BadUsage, match="shredded paper"):
        registry.kind("strips").with_hints(puzzle, {}, tmp_path)


def test_what_the_page_says_a_command_prints_is_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def masked(text: str) -> list[str]:
        text = re.sub(r"log odds [\d.]+,", "log odds …,", re.sub(r"conflicts \d+,", "conflicts …,", text))
        return [re.sub(r"in \d+\.\d+ s", "in … s", line) for line in text.splitlines()]

    page_text = (Path(package.__file__).parents[2] / "docs" / "strips.md").read_text()
    transcripts = re.findall(r"```\n(\$ .*?)```", page_text, re.DOTALL)
    assert len(transcripts) >= 3
    for command, said in re.findall(r"^\$ dovetail (.*)\n((?:(?!\$ ).*\n)*)", "".join(transcripts), re.MULTILINE):
        result = dovetail(*command.split())
        assert masked(result.err + result.out) == masked(said), command
