"""A run as a film: what is in it, that it is drawn after the run, how it is written, what is refused at once."""

import io
import json
import signal
import time
import xml.etree.ElementTree
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from dovetail import film as films
from dovetail import pipeline
from dovetail.core.errors import BadUsage
from dovetail.core.kind import Drawing
from dovetail.core.puzzle import Moves, Placement, Puzzle, Solution, solution_to_json
from dovetail.core.solver import Budget
from dovetail.film import FRAME_MS, LAST_MS, MOST_FRAMES, MOST_SIDE, Film
from dovetail.jigsaw.draw import Raster
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.moves.games.flood import Flood
from dovetail.picture import Picture, Polygon, Text
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


def test_views_of_a_solver_are_the_whole_film() -> None:
    """They are drawn when the run is over, and neither the pieces as given nor the boards come between them."""
    film, drawn = Film("frames"), list[int]()

    def view(number: int) -> Callable[[], Drawing]:
        def draw() -> Drawing:
            drawn.append(number)
            return Picture(40, 20 + number, shapes=[Polygon(((0, 0), (20, 0), (20, 20)), "#FF0000")])

        return draw

    for number in range(3):
        film.show(board(number))
        film.view(view(number))
    assert not drawn
    assert film.finish(strip(), board(0)) == "3 frames to frames/"
    assert drawn == [0, 1, 2]
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


ROW = Flood(1, 4, (0, 1, 2, 1), 3)  # 1, 2, 1 floods it; 2 and 0 in turns win nothing


def play_file(*moves: str) -> str:
    """The files of the row and of a play, the latter by name."""
    Path("row.json").write_bytes(pipeline.convert(ROW, "json"))
    Path("play.json").write_text(json.dumps(solution_to_json(Moves(moves), ROW)))
    return "play.json"


def greens(shown: list[Image.Image]) -> list[int]:
    """How much of a frame has the colour 2."""
    return [int((np.abs(np.asarray(frame).astype(int) - (0, 158, 115)).max(2) < 30).sum()) for frame in shown]


def test_solving_a_game_makes_a_film_of_the_play() -> None:
    Path("row.json").write_bytes(pipeline.convert(ROW, "json"))
    assert dovetail("solve", "row.json", "--film", "run.gif").status == 0
    shown, lengths = frames("run.gif")
    assert lengths == [500, 500, 500, LAST_MS], "short plays are shown slowly: the row, and three moves"
    cells = [round(number / greens(shown)[0]) for number in greens(shown)]
    assert cells == [1, 1, 3, 0], "cells of one colour after each move"


def test_a_run_cut_short_shows_its_best_play() -> None:
    film = Film("frames")
    film.show(Moves(("1",)))
    film.show(Moves(("1", "2")))
    assert film.finish(ROW, None) == "3 frames to frames/"


@pytest.mark.parametrize("name", ["play.gif", "play.webp"])
def test_plays_are_drawn_as_animations(name: str) -> None:
    result = dovetail("draw", "row.json", play_file("1", "2", "1"), "--out", name)
    assert (result.status, result.out) == (0, f"{name}\n")
    shown, lengths = frames(name)
    assert len(shown) == 4 and lengths[-1] == LAST_MS
    assert greens(shown)[2] > 2 * greens(shown)[0]


def test_of_a_long_play_some_moves_are_shown_quickly() -> None:
    moves = ("2", "0") * 500
    Film("play.webp").play(ROW, Moves(moves))
    shown, lengths = frames("play.webp")
    assert MOST_FRAMES // 2 < len(shown) <= 1 + MOST_FRAMES
    assert sum(lengths) < 20_000


def test_what_is_not_played_has_an_animation_of_two_pictures() -> None:
    assert dovetail("solve", "terracotta-3x4", "--solution", "laid.json").status == 0
    assert dovetail("draw", "terracotta-3x4", "laid.json", "--out", "two.gif").status == 0
    assert len(frames("two.gif")[0]) == 2


def captions(moves: tuple[str, ...], stills: int) -> list[str]:
    """The words below the stills; those of the pictures themselves are smaller."""
    words = [shape for shape in films.strip(ROW, Moves(moves), stills).shapes if isinstance(shape, Text)]
    return [shape.text for shape in words if shape.text.startswith(("start", "move "))]


def test_film_strips_number_their_moves() -> None:
    moves = ("2", "0") * 10
    assert captions(moves, 2) == ["start", "move 20"]
    assert captions(moves, 5) == ["start", "move 5", "move 10", "move 15", "move 20"]
    assert captions(("1", "2", "1"), 9) == ["start", "move 1", "move 2", "move 3"], "there are no more"
    assert captions((), 3) == ["start"]
    assert captions(("1", "2", "2", "1"), 9) == ["start", "move 1", "move 2"], "as far as they are legal"


@pytest.mark.parametrize("name", ["strip.png", "strip.svg"])
def test_film_strips_are_pictures(name: str) -> None:
    given = ("draw", "row.json", play_file("1", "2", "1"))
    assert dovetail(*given, "--out", name, "--strip", 4).status == 0
    if name.endswith("svg"):
        words = [text.text for text in xml.etree.ElementTree.parse(name).iter("{http://www.w3.org/2000/svg}text")]
        assert [word for word in words if word and "move" in word] == [
            "0 moves", "1 move", "move 1", "2 moves", "move 2", "3 moves", "move 3"
        ]  # fmt: skip
        return
    one = pipeline.draw(ROW)
    with Image.open(name) as image, Image.open(io.BytesIO(one.png())) as still:
        assert image.width > 2 * still.width and image.height > still.height


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("row.json", "--out", "x.gif"), "an animation shows how a solution comes about, and none is given"),
        (("row.json", "--out", "x.png", "--strip", 3), "a film strip shows how a solution comes about"),
        (("row.json", "play.json", "--out", "x.png", "--strip", 1), "a film strip has 2 to 200 stills, not 1"),
        (("row.json", "play.json", "--out", "x.gif", "--strip", 3), "a picture is written as .png or .svg, not"),
        (("row.json", "play.json", "--out", "x.mp4"), "as .png or .svg, an animation as .gif or .webp, not 'x.mp4'"),
        (("terracotta-3x4", "laid.json", "--out", "x.png", "--strip", 3), "terracotta puzzles are not played"),
    ],
)
def test_drawings_that_are_refused(arguments: tuple[object, ...], says: str) -> None:
    play_file("1", "2", "1")
    assert dovetail("solve", "terracotta-3x4", "--solution", "laid.json").status == 0
    result = dovetail("draw", *arguments)
    assert result.status == 2 and result.is_one_sentence()
    assert says in result.err
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["laid.json", "play.json", "row.json"]
