"""The table of all readers. A new kind is in it by itself, from the registry; a reader of other files is one line."""

import hashlib
import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from dovetail import reading
from dovetail.core import checkpoint, registry, settings
from dovetail.core.errors import BadInput
from dovetail.core.kind import Format, Kind
from dovetail.core.puzzle import Puzzle, canonical_json
from dovetail.core.source import Source
from dovetail.core.state import packed, unpacked
from dovetail.options import settings_of

from . import seeds
from .oracle import Target

PICTURES_MB = 1500  # a picture may be as large as the limits say, and is held twice while it is converted
# what people say of pictures that say nothing of themselves
TOLD: tuple[dict[str, str], ...] = (
    {}, {"piece": "4"}, {"piece": "4x6"}, {"piece": "3", "spacing": "1", "margin": "1"}, {"pieces": "5", "piece": "4"},
    {"piece": "6", "gap": "2"}, {"strips": "3"}, {"cross": "3x2"}, {"rows": "2", "cols": "3"},
    {"piece": "4", "sides": "2"},
)  # fmt: skip


def targets() -> Iterator[Target]:
    """Every reader there is."""
    for kind in registry.kinds():
        yield Target(f"{kind.name} json", partial(seeds.written, kind.name, "json"), _own_json)
        for form in kind.formats():
            large = PICTURES_MB if kind.family == "jigsaw" else 300
            made = partial(seeds.written, kind.name, form.name)
            yield Target(f"{kind.name} {form.name}", made, partial(_form, kind, form), large)
        yield Target(f"{kind.name} solution", partial(_solutions, kind.name), partial(_solution, kind))
    yield Target("anything", seeds.all_written, _handed_over, PICTURES_MB)
    yield Target("typed", lambda: seeds.TEXTS, _typed)
    yield Target("pictures", seeds.pictures, _picture, PICTURES_MB)
    yield Target("scans", seeds.scans, partial(_picture_told, {"scan": "true"}), PICTURES_MB)
    yield Target("folder of pieces", partial(seeds.written, "jigsaw", "zip"), _folder, PICTURES_MB)
    yield Target("hints", lambda: seeds.HINTS, _hints)
    yield Target("settings", lambda: tuple(_settings_seeds()), _settings)
    yield Target("worker message", lambda: tuple(_messages()), _message)
    for name, found, read in FILES:
        yield Target(name, found, partial(_in_file, read))


def _read(puzzles: list[Puzzle]) -> None:
    """What was read is a puzzle: it can be written as JSON, read again, and offered to solvers."""
    for puzzle in puzzles[:3]:
        again = registry.kind(puzzle.kind).decode(json.loads(canonical_json(puzzle.encode())))
        assert again.digest == puzzle.digest, "what was read is not what its JSON says"
        assert puzzle.size


def _own_json(data: bytes) -> None:
    _read(reading.read_all(Source("it", data))[0])


def _form(kind: Kind, form: Format, data: bytes) -> None:
    source = Source("it", data)
    form.detect(source)
    told: dict[str, Any] = {}
    if kind.family == "jigsaw":
        told = TOLD[hashlib.sha256(data).digest()[0] % len(TOLD)]
    _read(form.read(source, settings.fill(kind.reading_type, told)))


def _handed_over(data: bytes) -> None:
    source = Source("it", data)
    _read([laid.puzzle for laid in reading.read_laid(source)[0]])
    for puzzle in reading.read_all(source)[0][:1]:
        registry.choose(puzzle, registry.AUTO)


def _typed(data: bytes) -> None:
    text = data.decode(errors="replace")
    if not os.path.lexists(text.replace("\0", "")) and text != "-":  # files are no business of this one
        _read(reading.read_all(text)[0])


def _solutions(kind: str) -> tuple[bytes, ...]:
    return seeds.solved(kind)[1]


def _solution(kind: Kind, data: bytes) -> None:
    puzzle = seeds.solved(kind.name)[0]
    for solution in reading.read_solutions(Source("it", data), puzzle)[:3]:
        kind.check(puzzle, solution)


def _picture(data: bytes) -> None:
    _picture_told(TOLD[hashlib.sha256(data).digest()[0] % len(TOLD)], data)


def _picture_told(told: dict[str, str], data: bytes) -> None:
    _read(reading.read_all(Source("it.png", data), None, told)[0])


def _folder(data: bytes) -> None:
    """The files of an archive, as far as it is one, laid in a folder under their own names, if these are names."""
    folder = room() / "pieces"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = [(Path(info.filename).name, archive.read(info)) for info in archive.infolist()[:20]]
    except Exception:
        files = [("1.png", data)]
    for name, body in files:
        if name not in ("", ".", "..") and "\0" not in name and len(name.encode(errors="replace")) < 255:
            (folder / name.encode(errors="replace").decode(errors="replace")).write_bytes(body)
    _read(reading.read_all(folder, "jigsaw", {"piece": "4"})[0])


def _hints(data: bytes) -> None:
    puzzle = seeds.puzzles("jigsaw")[0]
    kind = registry.kind("jigsaw")
    told, _ = reading.read_json(Source("it", data))
    kind.with_hints(puzzle, told, room())


@cache
def _settings_types() -> list[tuple[str, type[Any]]]:
    kinds = [
        (f"{kind.name} {part}", getattr(kind, f"{part}_type"))
        for kind in registry.kinds()
        for part in ("reading", "making")
    ]
    solvers = [
        (f"{family} {s.name}", s.settings_type) for family in registry.families() for s in registry.solvers(family)
    ]
    return [(name, type_) for name, type_ in (*kinds, *solvers) if settings.names(type_)]


def _settings_seeds() -> Iterator[bytes]:
    for number, (_, type_) in enumerate(_settings_types()):
        for described in settings.describe(type_)[:4]:
            yield f"{number}\n{described['name']}={described['default']}".encode()
    yield b"0\nwidth=1e6"


def _settings(data: bytes) -> None:
    types = _settings_types()
    first, _, rest = data.decode(errors="replace").partition("\n")
    number = int(first) if first.isascii() and first.isdigit() and len(first) < 4 else 0
    settings.fill(types[number % len(types)][1], settings_of(rest.split("\n")))


def _messages() -> Iterator[bytes]:
    from dovetail.web.channel import packed

    yield packed({"do": "read", "name": "x"}, b"123", b"")
    yield packed({"do": "solve", "time_s": 1.5}, b"53..7....")


def _message(data: bytes) -> None:
    """A worker that cannot make sense of what it is told ends, which says it all: only time and memory count here."""
    from dovetail.web.channel import received

    try:
        received(io.BytesIO(data))
    except Exception:
        raise BadInput("the message makes no sense") from None


@cache
def room() -> Path:
    """A folder for files that must be files; in memory, where there is such a place."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="dovetail-fuzz-", dir=shared if os.access(shared, os.W_OK) else None))
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _in_file(read: Callable[[Path], object], data: bytes) -> None:
    path = room() / "file"
    path.write_bytes(data)
    read(path)


def _suite(path: Path) -> object:
    from dovetail.bench import suites

    return suites.load(str(path.replace(path.with_suffix(".toml"))))


def _tar(path: Path) -> object:
    from dovetail.jigsaw import archive

    return [archive.content(path, name) for name in archive.names(path)[:5]]


def _card(path: Path) -> object:
    from dovetail.jigsaw.deep import networks

    path.replace(path.with_suffix(".json"))
    return networks.card(path.stem, path.parent)


def _weights(path: Path) -> object:
    """A network file that is not the one on its card."""
    from dovetail.jigsaw.deep import networks

    path.replace(path.with_suffix(".onnx"))
    path.with_suffix(".json").write_bytes(seeds.CARD)
    return networks.session(path.stem, 1, path.parent)


def _values_2048(path: Path) -> object:
    from dovetail.moves import tuples

    return tuples.read(path)


def _pattern_database(path: Path) -> object:
    from dovetail.moves import patterns

    return patterns._kept(path, 3, 3)


def _databases() -> tuple[bytes, ...]:
    from dovetail.moves import patterns

    label = patterns._label(3, 3)
    return (label + hashlib.sha256(b"12345").digest() + b"12345", label)


@cache
def _training() -> Any:
    import torch

    from dovetail.jigsaw.deep.reader import Sizes
    from dovetail.jigsaw.deep.teaching import RECIPES, Training

    torch.set_num_threads(1)
    recipe = next(iter(RECIPES.values()))
    tiny = Sizes(channels=(4, 4, 4, 4), blocks=(1, 1, 1, 1), rim=2, width=8, layers=1, heads=1)
    import dataclasses

    return Training(dataclasses.replace(recipe, sizes=tiny), "cpu")


def _training_state(path: Path) -> object:
    """Without the checksum, which hardly anything would get past."""
    return _training().take_up(unpacked(path.read_bytes()))


def _training_states() -> tuple[bytes, ...]:
    return (packed(_training().state()),)


def _checkpoint(path: Path) -> object:
    return unpacked(checkpoint.loaded(path)[1])


def _checkpoints() -> tuple[bytes, ...]:
    path = room() / "checkpoint"
    kept = checkpoint.Checkpoint(path)
    with kept.held({"puzzle": "this one", "seed": 0}):
        kept.save({"clock": {"steps": 3, "elapsed_s": 0.5}, "solver": {"at": [1, 2], "board": np.arange(6)}})
    return (path.read_bytes(),)


def _search_state(path: Path) -> object:
    """Of a search whose kernels follow what it says."""
    search = _tile_search()
    search.take_up(unpacked(path.read_bytes()))
    return search.advance(200)


def _search_states() -> tuple[bytes, ...]:
    search = _tile_search()
    search.advance(5000)
    return (packed(search.state()),)


def _tile_search() -> Any:
    from dovetail.tiles.depth_first import Settings, searches

    return searches(registry.sample("tiles-6x6"), Settings(), 0)[0]  # type: ignore[arg-type]


def _tuples_seed() -> tuple[bytes, ...]:
    import lzma

    body = lzma.compress(bytes(64))
    return (hashlib.sha256(body).digest() + body,)


# readers of other files: a name, valid ones, and what reads the file at a path
FILES: tuple[tuple[str, Callable[[], tuple[bytes, ...]], Callable[[Path], object]], ...] = (
    ("suite", lambda: (seeds.SUITE,), _suite),
    ("tar of pictures", lambda: (seeds.tar(),), _tar),
    ("network card", lambda: (seeds.CARD,), _card),
    ("network weights", lambda: (b"\x08\x08\x12\x07pytorch",), _weights),
    ("pattern database", _databases, _pattern_database),
    ("values of 2048", _tuples_seed, _values_2048),
    ("training state", _training_states, _training_state),
    ("checkpoint", _checkpoints, _checkpoint),
    ("state of a search", _search_states, _search_state),
)


def named(wanted: str) -> Target:
    """One of the table."""
    return next(target for target in targets() if target.name == wanted)


def names() -> list[str]:
    """Of all targets."""
    return [target.name for target in targets()]
