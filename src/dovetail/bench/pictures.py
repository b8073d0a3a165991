"""Cases over pictures: each is cut into a puzzle, solved, and held against the truth, every step in a fresh process."""

import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from ..core import registry, settings
from ..core.errors import BadInput, BadUsage
from ..core.files import reason
from ..jigsaw import archive
from . import commands, data
from .suites import Case

ASIDE = commands.Limits(600.0)  # for cutting a picture, or judging an answer


BUILT_IN = "built-in:"  # in place of a folder: names of pictures that the kind's generator knows by itself


class Picture(NamedTuple):
    """What goes into one puzzle: rows know it by its name, never by where it lies."""

    parts: tuple[tuple[str, str], ...]  # of every picture its name, and what `make` is told: where it is, or built in

    @property
    def name(self) -> str:
        """Of several pictures in one bag, all their names."""
        return "+".join(name for name, _ in self.parts)

    @property
    def image(self) -> str:
        """As `make` takes it."""
        return ",".join(place for _, place in self.parts)

    def named(self, message: str) -> str:
        """The message with names in place of paths of this machine."""
        for name, place in self.parts:
            message = message.replace(place, name)
        return message


def found(case: Case) -> list[Picture]:
    """The pictures of a case by name; whatever makes the case impossible is said here, before any work."""
    named = _named(case)
    bags = [Picture(tuple(named[i : i + case.group])) for i in range(0, len(named) - case.group + 1, case.group)]
    if not bags:
        raise BadInput(f"{case.group} pictures make a bag, and there are {len(named)} in {case.images}")
    making = registry.kind(case.kind).making_type
    if "image" not in settings.names(making):
        raise BadUsage(f"{case.kind} puzzles are not cut from pictures")
    settings.fill(making, {**case.make, "image": bags[0].image})
    return bags


def _named(case: Case) -> list[tuple[str, str]]:
    """Names that tell the pictures apart, and where each is."""
    if case.images.startswith(BUILT_IN):
        names = [name.strip() for name in case.images.removeprefix(BUILT_IN).split(",") if name.strip()]
        if not names:
            raise BadInput(f"{BUILT_IN} goes before names of pictures, with commas between them")
        return [(name, name) for name in names][: case.first]
    place = Path(data.located(case.images))
    try:
        if archive.is_archive(place):
            paths = [place / name for name in archive.names(place) if _is_named_so(name)][: case.first]
        else:
            paths = [place] if place.is_file() else sorted(filter(_is_picture, place.iterdir()))[: case.first]
    except OSError as error:
        raise BadInput(f"cannot read the pictures in {place}: {reason(error)}") from None
    if not paths:
        raise BadInput(f"there is no picture in {place}")
    stems = [path.stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else [path.name for path in paths]
    return [(name, str(path)) for name, path in zip(names, paths, strict=True)]


def solved(case: Case, picture: Picture, seed: int) -> dict[str, Any]:
    """The row's result, report with the verdict that knows the truth, and memory; the seed shuffles too."""
    with tempfile.TemporaryDirectory(prefix="dovetail-bench-") as folder:
        row = {"memory_mb": None, **_solved(case, picture, seed, Path(folder))}
        if "message" in row:
            row["message"] = picture.named(row["message"].replace(f"{folder}/", ""))
        return row


def _solved(case: Case, picture: Picture, seed: int, folder: Path) -> dict[str, Any]:
    puzzle = folder / f"puzzle.{_suffix(case.kind)}"
    truth, solution = folder / "truth.json", folder / "solution.json"
    make = commands.settings({**case.make, "image": picture.image})
    written = ("--out", str(puzzle), "--truth", str(truth), "--seed", str(seed))
    made = commands.run("make", case.kind, *make, *written, limits=ASIDE)
    if failed := commands.failure(made):
        return {"message": "while the puzzle was made", **failed}
    ended = commands.solve(case, str(puzzle), seed, "--kind", case.kind, "--solution", str(solution))
    row = commands.result(ended)
    if row["result"] in commands.FAILED or not solution.exists():
        return row
    judged = commands.run(
        "check", str(puzzle), str(solution), "--truth", str(truth), "--kind", case.kind, "--json", limits=ASIDE
    )
    if failed := commands.failure(judged):
        return {"message": "while the answer was judged", **row, **failed}
    row["report"]["verdict"] = json.loads(judged.out)["verdict"]
    return {**row, "result": commands.word(row["report"], judged.status == 0)}


def _suffix(kind: str) -> str:
    """Of the file in which puzzles of this kind travel: that of its first format, which `make` knows by it."""
    formats = registry.kind(kind).formats()
    return (formats[0].suffix or formats[0].name) if formats else "json"


def _is_picture(path: Path) -> bool:
    return path.is_file() and _is_named_so(path.name)


def _is_named_so(name: str) -> bool:
    """By its suffix, so that a text beside the pictures is no failure."""
    from PIL import Image

    return not name.startswith(".") and Image.registered_extensions().get(Path(name).suffix.lower()) in Image.OPEN
