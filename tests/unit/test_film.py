"""A run as a film: what is in it, when it is drawn, how it is written, and what is refused before any work."""

import io
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from dovetail import film as films
from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.errors import BadUsage
from dovetail.core.puzzle import Placement
from dovetail.film import FRAME_MS, LAST_MS, MOST_SIDE, Film
from dovetail.jigsaw.puzzle import Jigsaw
from support.command import dovetail, start

COUNT = 120  # pieces of a strip that needs no reducing


@pytest.fixture(autouse=True)
def _jigsaws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.KINDS, "jigsaw", "dovetail.jigsaw.puzzle:JigsawKind")


class Hands:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def __call__(self) -> float:
        return self.time_s


def strip(channels: int = 1, depth: int = 8, side: int = 2, count: int = COUNT) -> Jigsaw:
    """One row of pieces, each of one shade."""
    shades = np.linspace(0, 2**depth - 1, count).astype("u1" if depth == 8 else "<u2")
    return Jigsaw(side, side, channels, depth, shades.repeat(side * side * channels).tobytes(), 1, count)


def board(first: int, count: int = COUNT) -> Placement:
    """The row, beginning with another piece each time."""
    order = [(first + n) % count for n in range(count)]
    return Placement((tuple(order),), ((0,) * count,))


def frames(path: str | Path) -> tuple[list[Image.Image], list[int]]:
    """The pictures of a film and how long each is shown."""
    with Image.open(path) as image:
        shown = [(frame.convert("RGB"), round(frame.info["duration"])) for frame in ImageSequence.Iterator(image)]
    return [frame for frame, _ in shown], [length for _, length in shown]


@pytest.mark.parametrize("name", ["run.gif", "run.webp", "run.PNG"])
def test_solving_makes_a_film(name: str) -> None:
    result = dovetail("solve", "terracotta-3x4", "--film", name)
    assert result.status == 0
    assert f"wrote {name}" in result.out
    shown, lengths = frames(name)
    assert len(shown) >= 2
    assert lengths == [FRAME_MS] * (len(shown) - 1) + [LAST_MS]
    puzzle = pipeline.read("terracotta-3x4")
    for frame, solution in ((shown[0], None), (shown[-1], pipeline.solve(puzzle).solution)):
        assert max(frame.size) <= MOST_SIDE
        with Image.open(io.BytesIO(pipeline.draw(puzzle, solution).png())) as picture:
            middle = picture.convert("RGB").getpixel((picture.width // 2, picture.height // 2))
        near = np.array(frame.getpixel((frame.width // 2, frame.height // 2))) - np.array(middle)
        assert abs(near).max() < 40


def test_a_folder_is_filled_as_the_run_goes() -> None:
    clock = Hands()
    film = Film("frames", clock)
    assert not Path("frames").exists(), "a run that is refused leaves nothing behind"
    film.show(strip(), board(0))
    assert sorted(path.name for path in Path("frames").iterdir()) == ["frame-0001.png", "frame-0002.png"]
    clock.time_s += 1
    film.show(strip(), board(1))
    film.finish(strip(), board(2))
    assert sorted(path.name for path in Path("frames").iterdir()) == [f"frame-000{n}.png" for n in range(1, 5)]
    sizes = {Image.open(io.BytesIO(path.read_bytes())).size for path in Path("frames").iterdir()}
    assert len(sizes) == 1


@pytest.mark.parametrize("name", ["new/", "new.film/", "there", "there.is"])
def test_names_of_folders(name: str) -> None:
    for there in ("there", "there.is"):
        Path(there).mkdir()
    assert dovetail("solve", "terracotta-3x4", "--film", name).status == 0
    assert Path(name, "frame-0001.png").exists()


def test_frames_come_at_most_ten_a_second() -> None:
    clock = Hands()
    film = Film("f", clock)
    for number in range(100):
        film.show(strip(), board(number))
        clock.time_s += 0.03
    film.finish(strip(), board(100))
    assert len([*Path("f").iterdir()]) == 1 + 25 + 1  # the pieces, each fourth board, the answer


def test_a_slow_picture_is_drawn_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, draw = Hands(), pipeline.draw

    def slowly(*args: object) -> object:
        clock.time_s += 1
        return draw(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "draw", slowly)
    film, shown = Film("f", clock), 0
    for number in range(200):
        before = clock.time_s
        film.show(strip(), board(number))
        shown += clock.time_s > before
        clock.time_s += 0.1
    assert 1 < shown <= 1 + 20 / films.PATIENCE


def test_a_board_that_came_too_soon_is_shown_when_its_time_comes() -> None:
    clock = Hands()
    film = Film("f", clock)
    film.show(strip(), board(0))
    film.show(strip(), board(1))
    assert len([*Path("f").iterdir()]) == 2
    clock.time_s += 1
    film.show(strip(), None)
    assert len([*Path("f").iterdir()]) == 3
    film.finish(strip(), board(1))
    assert len([*Path("f").iterdir()]) == 3, "the answer is on the last frame already"


def test_the_same_board_is_shown_once() -> None:
    clock = Hands()
    film = Film("f", clock)
    for _ in range(5):
        film.show(strip(), board(7))
        clock.time_s += 1
    film.finish(strip(), board(7))
    assert len([*Path("f").iterdir()]) == 2


def test_a_long_film_is_thinned_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "MOST_FRAMES", 8)
    clock, seen = Hands(), []
    film = Film("run.png", clock)
    for number in range(COUNT):
        film.show(strip(), board(number))
        clock.time_s += 1
    film.finish(strip(), board(COUNT - 1))
    shown, lengths = frames("run.png")
    assert 4 <= len(shown) <= 9
    assert len(lengths) == len(shown)
    shades = strip().array[:, 0, 0, 0].tolist()
    for frame in shown[1:]:  # which piece the row begins with, by its shade
        first = frame.getpixel(((frame.width - 2 * COUNT) // 2 + 1, frame.height // 2))
        assert isinstance(first, tuple)
        seen.append(shades.index(first[0]))
    assert seen[-1] == COUNT - 1
    assert {*np.diff(seen[:-1]).tolist()} == {32}, "each 32nd board"


@pytest.mark.parametrize(("channels", "depth"), [(1, 8), (2, 8), (3, 8), (4, 8), (1, 16)])
def test_every_picture_becomes_a_frame(channels: int, depth: int) -> None:
    """Reduced, of the size of the first, the shades in order; what is transparent shows the ground."""
    puzzle = strip(channels, depth, side=40, count=50)
    Film("run.webp").finish(puzzle, board(0, 50))
    (pieces, last), _ = frames("run.webp")
    assert pieces.size == last.size
    assert pieces.width == MOST_SIDE
    middle = np.asarray(last).astype(int)[last.height // 2, :, 0]
    inner = middle[60:-60]
    if channels % 2:
        assert inner[0] < 60 and inner[-1] > 195
        assert (np.diff(inner) >= -6).all()
    else:  # as opaque as it is light, so never dark
        assert inner[0] > 180


def test_without_an_answer_the_pieces_are_the_film() -> None:
    Film("run.gif").finish(strip(), None)
    assert len(frames("run.gif")[0]) == 1


def test_an_interrupted_run_has_its_film(tmp_path: Path) -> None:
    endless = ("solve", "terracotta", "--set", "algorithm=1", "--set", "arrangement=I", "--time", 600)
    process = start(*endless, "--film", "run.gif", cwd=tmp_path)
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 1, err
    assert "wrote run.gif" in out
    assert len(frames("run.gif")[0]) >= 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("--film", "run.mp4"),
            "a film is written as .gif, .webp, .png or, with a / at the end, as a folder of frames",
        ),
        (("--film", ""), "a film is written as"),
        (("--film", "no/run.gif"), "there is no folder no"),
        (("--film", "no/frames/"), "there is no folder no"),
        (("--film", "file/"), "cannot write file: it is not a folder"),
        (("--film", "file"), "cannot write file: it is not a folder"),
        (("--film", "old"), "cannot write old: the folder holds frames already"),
        (("--film", "x.png", "--out", "x.png"), "the picture and the film need two different files"),
        (("--film", "x.gif", "--solution", "./x.gif"), "the solution and the film need two different files"),
    ],
)
def test_refused_before_any_work(arguments: tuple[str, ...], says: str) -> None:
    Path("file").touch()
    Path("old").mkdir()
    Path("old/frame-0001.png").touch()
    before = sorted(Path.cwd().rglob("*"))
    result = dovetail("solve", "no-such-puzzle", *arguments)
    assert result.status == 2
    assert result.is_one_sentence()
    assert says in result.err
    assert sorted(Path.cwd().rglob("*")) == before


def test_a_film_shows_one_puzzle() -> None:
    puzzle = pipeline.convert(pipeline.read("terracotta-3x4"), "json")
    Path("many.jsonl").write_bytes(puzzle * 2)
    result = dovetail("solve", "many.jsonl", "--film", "run.gif")
    assert result.status == 2 and result.is_one_sentence()
    assert "--film shows one puzzle being solved, and this input holds 2" in result.err
    assert not Path("run.gif").exists()


def test_drawing_counts_as_drawing() -> None:
    assert dovetail("solve", "terracotta-3x4", "--film", "run.gif", "--json").report["seconds"]["draw"] > 0


def test_a_folder_that_cannot_be_made_is_one_sentence() -> None:
    film = Film("frames/")
    Path("frames").touch()
    with pytest.raises(BadUsage, match="cannot make the folder frames"):
        film.finish(strip(), None)
