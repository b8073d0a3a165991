"""A run as a film: what is in it, that it is drawn after the run, how it is written, what is refused at once."""

import io
import signal
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from dovetail import film as films
from dovetail import pipeline
from dovetail.core.errors import BadUsage
from dovetail.core.kind import Drawing
from dovetail.core.puzzle import Placement, Puzzle, Solution
from dovetail.core.solver import Budget
from dovetail.film import FRAME_MS, LAST_MS, MOST_SIDE, Film
from dovetail.jigsaw.draw import Raster
from dovetail.jigsaw.puzzle import Jigsaw
from support.command import dovetail, start

COUNT = 120  # pieces of a strip that needs no reducing


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


def folder(name: str = "frames") -> list[str]:
    """The names of the files there."""
    return sorted(path.name for path in Path(name).iterdir())


def beginnings(shown: list[Image.Image]) -> list[int]:
    """With which piece the row of each frame begins, by its shade."""
    shades = strip().array[:, 0, 0, 0].tolist()
    pixels = (frame.getpixel(((frame.width - 2 * COUNT) // 2 + 1, frame.height // 2)) for frame in shown)
    return [shades.index(pixel[0]) for pixel in pixels if isinstance(pixel, tuple)]


def shown_in_folder(name: str = "frames") -> list[Image.Image]:
    """The frames of a folder, in order."""
    return [Image.open(io.BytesIO(Path(name, file).read_bytes())) for file in folder(name)]


def test_nothing_is_drawn_before_the_run_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver waits while ``show`` works."""
    film, drawn, draw = Film("frames"), [], pipeline.draw

    def counted(puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        drawn.append(solution)
        return draw(puzzle, solution)

    monkeypatch.setattr(pipeline, "draw", counted)
    for number in range(3):
        film.show(board(number))
    assert not drawn
    assert not Path("frames").exists(), "a run that is refused leaves nothing behind"
    assert film.finish(strip(), board(3)) == "5 frames to frames/"
    assert drawn == [None, *map(board, range(4))]
    assert folder() == [f"frame-000{n}.png" for n in range(1, 6)]
    assert beginnings(shown_in_folder()[1:]) == [0, 1, 2, 3]
    assert len({frame.size for frame in shown_in_folder()}) == 1


@pytest.mark.parametrize("name", ["new/", "new.film/", "there", "there.is"])
def test_names_of_folders(name: str) -> None:
    for there in ("there", "there.is"):
        Path(there).mkdir()
    assert dovetail("solve", "terracotta-3x4", "--film", name).status == 0
    assert Path(name, "frame-0001.png").exists()


def test_every_generation_is_a_frame() -> None:
    made = dovetail("make", "jigsaw", "--set", "piece=28", "--out", "puzzle.png")
    assert made.status == 0, made.err
    arguments = (
        "solve",
        "puzzle.png",
        "--solver",
        "genetic",
        "--set",
        "population=30",
        "--set",
        "pressure=1",
        "--quiet",
        "--film",
        "frames/",
    )
    result = dovetail(*arguments)
    puzzle = pipeline.read("puzzle.png")
    job = pipeline.Job(puzzle, "genetic", Budget(), 0, {"population": 30, "pressure": 1.0})
    boards = [event.solution for event in job if event.solution is not None]
    different = 1 + sum(one != other for one, other in pairwise(boards))
    assert different > 3
    assert f"wrote {1 + different} frames to frames/" in result.out
    assert len(folder()) == 1 + different


def test_a_board_is_shown_once_as_long_as_it_stays() -> None:
    film = Film("frames")
    for number in (7, 7, 7, 8, 7, 7):
        film.show(board(number))
    film.finish(strip(), board(7))
    assert beginnings(shown_in_folder()[1:]) == [7, 8, 7]


def test_very_many_boards_are_thinned_evenly_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "MOST_BOARDS", 8)
    film = Film("run.png")
    for number in range(COUNT - 1):
        film.show(board(number))
        assert len(film._boards) <= 8
    film.finish(strip(), board(COUNT - 1))
    shown, _ = frames("run.png")
    assert beginnings(shown[1:]) == [0, 16, 32, 48, 64, 80, 96, 112, COUNT - 2, COUNT - 1]


def test_as_many_boards_as_fit_are_all_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "MOST_BOARDS", 8)
    film = Film("frames")
    for number in range(8):
        film.show(board(number))
    film.finish(strip(), None)
    assert beginnings(shown_in_folder()[1:]) == [*range(8)]


@pytest.mark.parametrize(("boards", "drawn"), [(4, [0, 1, 2, 3]), (5, [0, 1, 2, 4]), (100, [0, 33, 66, 99])])
def test_of_many_boards_some_are_drawn(monkeypatch: pytest.MonkeyPatch, boards: int, drawn: list[int]) -> None:
    monkeypatch.setattr(films, "MOST_FRAMES", 4)
    film = Film("frames")
    for number in range(boards - 1):
        film.show(board(number))
    film.finish(strip(), board(boards - 1))
    assert beginnings(shown_in_folder()[1:]) == drawn


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


def test_pictures_of_pixels_are_not_packed_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PNG of millions of pixels takes seconds."""
    monkeypatch.delattr(Raster, "png")
    Film("run.webp").finish(strip(), board(0))
    assert len(frames("run.webp")[0]) == 2


def test_without_an_answer_the_pieces_are_the_film() -> None:
    assert Film("run.gif").finish(strip(), None) == "run.gif"
    assert len(frames("run.gif")[0]) == 1
    assert Film("frames").finish(strip(), None) == "1 frame to frames/"


def test_the_answer_is_on_disk_before_the_film_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not want to wait for the film has lost nothing."""

    def full(*_: object) -> str:
        raise BadUsage("no space left")

    monkeypatch.setattr(Film, "finish", full)
    result = dovetail("solve", "terracotta-3x4", "--film", "f/", "--solution", "laid.json", "--out", "board.png")
    assert (result.status, folder(".")) == (2, ["board.png", "laid.json"])


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
        (("--film", "old"), "cannot write old: the folder is not empty"),
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
