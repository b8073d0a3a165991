"""From what the user has in hand to puzzles: built-in names, files, folders, standard input, texts, links."""

import difflib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .core import registry, settings
from .core.errors import BadInput, BadUsage
from .core.files import reason
from .core.kind import Kind, Laid
from .core.puzzle import Puzzle, Solution, canonical_json, solution_from_json
from .core.source import MAX_BYTES, Source

LITERAL = "the text given"


def read_all(
    what: str | Path | Source, kind: str | None = None, given: Mapping[str, Any] | None = None
) -> tuple[list[Puzzle], dict[str, Any]]:
    """All puzzles of an input, and the settings that reading had no use for."""
    found, rest = _read(what, kind, given, boards=False)
    return [laid.puzzle for laid in found], rest


def read_laid(
    what: str | Path | Source, kind: str | None = None, given: Mapping[str, Any] | None = None
) -> tuple[list[Laid], dict[str, Any]]:
    """The same, each puzzle with the attempt at it that the input itself shows: a link to a board, say."""
    return _read(what, kind, given, boards=True)


def open_source(what: str | Path) -> Source:
    """The bytes behind a path, ``-``, or the text itself when it is no path."""
    if what == "-":
        if sys.stdin is None:
            raise BadInput("standard input is closed")
        try:
            return Source("standard input", _limited(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input"))
        except OSError as error:
            raise BadInput(f"cannot read standard input: {reason(error)}") from None
    if what == "":
        raise BadInput("the input is empty")
    path, name = Path(what), str(what)
    try:
        if path.is_dir():
            return Source(name, folder=path)
        if path.exists():
            with path.open("rb") as file:
                return Source(name, _limited(file.read(MAX_BYTES + 1), name))
    except ValueError:  # a NUL in the name
        pass
    except OSError as error:
        if not (isinstance(what, str) and _is_literal(what)):
            raise BadInput(f"cannot read {_short(name)}: {reason(error)}") from None
    if isinstance(what, str) and _is_literal(what):
        return Source(LITERAL, what.encode(errors="replace"))
    near = difflib.get_close_matches(name, [s for kind in registry.kinds() for s in kind.samples()], 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "'dovetail list kinds' names them"
    raise BadInput(f"there is no file {_short(name)}, and no built-in puzzle of that name ({hint})")


def read_solution(what: str | Path | Source, puzzle: Puzzle) -> Solution:
    """A solution of this puzzle: a file, or a text or link of a format that its kind reads."""
    found = read_solutions(what, puzzle)
    if len(found) != 1:
        name = what.name if isinstance(what, Source) else str(what)
        raise BadInput(f"{_short(name)} holds {len(found)} solutions, and one is needed here")
    return found[0]


def read_solutions(what: str | Path | Source, puzzle: Puzzle) -> list[Solution]:
    """The same of an input that may hold many."""
    source = what if isinstance(what, Source) else open_source(what)
    if not (source.is_text and '"shape"' in source.text):  # Dovetail's own solutions have it
        found = registry.kind(puzzle.kind).read_solutions(source, puzzle)
        if found is not None:
            return found
    return [solution_from_json(_parse_json(source.text, source.name), puzzle)]


def read_json(what: str | Path | Source) -> tuple[Any, Path]:
    """What a JSON file holds, or a text that is JSON itself; and the folder where the files that it names are."""
    source = what if isinstance(what, Source) else open_source(what)
    is_file = not isinstance(what, Source) and source.name == str(what)
    return _parse_json(source.text, source.name), Path(source.name).parent if is_file else Path()


def to_json_bytes(data: Any) -> bytes:
    """One JSON object on one line."""
    return (canonical_json(data) + "\n").encode()


def _read(
    what: str | Path | Source, kind: str | None, given: Mapping[str, Any] | None, boards: bool
) -> tuple[list[Laid], dict[str, Any]]:
    """All puzzles of an input, with their boards where wanted, and the settings that reading had no use for."""
    wanted = registry.kind(kind) if kind is not None else None
    rest = dict(given or {})
    if isinstance(what, str) and (built_in := registry.sample(what)) is not None:
        _refuse_other_kind(what, built_in, wanted)
        _refuse_reading_settings(what, built_in, rest)
        return [Laid(what, built_in, None)], rest
    source = what if isinstance(what, Source) else open_source(what)
    if source.folder is None and not source.data.strip():
        raise BadInput(f"{source.name} is empty")
    if (own := _own_json(source)) is not None:
        for puzzle in own:
            _refuse_other_kind(source.name, puzzle, wanted)
            _refuse_reading_settings(source.name, puzzle, rest)
        return [Laid(source.name, puzzle, None) for puzzle in own], rest
    reader = wanted if wanted is not None else _recognise(source)
    options = {key: rest.pop(key) for key in settings.names(reader.reading_type) if key in rest}
    if boards and (found := reader.boards(source, settings.fill(reader.reading_type, options))):
        return found, rest
    puzzles = _read_foreign(source, reader, options)
    for puzzle in puzzles:
        _refuse_other_kind(source.name, puzzle, wanted)
    return [Laid(source.name, puzzle, None) for puzzle in puzzles], rest


def _recognise(source: Source) -> Kind:
    for kind in registry.kinds():
        if any(f.detect(source) for f in kind.formats()):
            return kind
    kinds = ", ".join(registry.kind_names())
    if source.name == LITERAL:
        raise BadInput(f"this is no file, no built-in puzzle and no puzzle text I recognise; kinds: {kinds}")
    if source.folder is not None:
        raise BadInput(f"{source.name} is a folder, and no kind of puzzle is read from it ({kinds})")
    raise BadInput(f"cannot tell what kind of puzzle {source.name} is; name it with --kind ({kinds})")


def _read_foreign(source: Source, kind: Kind, options: dict[str, Any]) -> list[Puzzle]:
    """By the format that recognises it, else by the kind's first, for the sake of its error message."""
    formats = kind.formats()
    chosen = next((f for f in formats if f.detect(source)), formats[0] if formats else None)
    if chosen is None:
        raise BadInput(f"{source.name} is not a JSON file, and {kind.name} puzzles are read from nothing else")
    puzzles = chosen.read(source, settings.fill(kind.reading_type, options))
    if not puzzles:
        raise BadInput(f"{source.name} holds no puzzle")
    return puzzles


def _own_json(source: Source) -> list[Puzzle] | None:
    """Dovetail's own JSON: one object with a "kind", or one a line. None if it is something else."""
    if not source.is_text or not source.text.lstrip().startswith("{"):
        return None
    objects = _json_objects(source)
    _, first = objects[0]
    if "shape" in first:
        raise BadInput(f"{source.name} is a solution; a puzzle is needed here")
    if "kind" not in first:
        return None
    return [_decode(data, place) for place, data in objects]


def _json_objects(source: Source) -> list[tuple[str, dict[str, Any]]]:
    """Each object with a name for its place: the whole file, or one a line."""
    lines = [(n, line) for n, line in enumerate(source.text.split("\n"), start=1) if line.strip()]
    many = len(lines) > 1 and lines[0][1].rstrip().endswith("}") and lines[1][1].lstrip().startswith("{")
    if not many:
        texts = [(source.name, 1, source.text)]
    else:
        texts = [(f"{source.name}, line {n}", n, line) for n, line in lines]
    objects = []
    for place, first_line, text in texts:
        data = _parse_json(text, source.name, first_line)
        if not isinstance(data, dict):
            raise BadInput(f"{place} is not a JSON object")
        objects.append((place, data))
    return objects


def _decode(data: Mapping[str, Any], name: str) -> Puzzle:
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in registry.kind_names():
        raise BadInput(f"{name}: unknown kind {kind!r}; kinds: {', '.join(registry.kind_names())}")
    try:
        return registry.kind(kind).decode(data)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None


def _parse_json(text: str, name: str, first_line: int = 1) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise BadInput(f"{name} is nested too deeply to be a puzzle") from None
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise BadInput(f"{name} is not valid JSON: {error.msg}, line {line}, column {error.colno}") from None
    except ValueError:
        raise BadInput(f"{name} holds a number too long to read") from None


def _refuse_other_kind(name: str, puzzle: Puzzle, wanted: Kind | None) -> None:
    if wanted is not None and puzzle.kind != wanted.name:
        raise BadUsage(f"{name} is a {puzzle.kind} puzzle, not {wanted.name}")


def _refuse_reading_settings(name: str, puzzle: Puzzle, given: Mapping[str, Any]) -> None:
    for key in settings.names(registry.kind(puzzle.kind).reading_type):
        if key in given:
            raise BadUsage(f"{key} cannot be set here: {name} says it already")


def _limited(data: bytes, name: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise BadInput(f"{name} is larger than {MAX_BYTES // 2**20} MiB")
    return data


def _is_literal(text: str) -> bool:
    """A puzzle text or a link rather than the name of a file that is not there."""
    return any(mark in text for mark in "\n{[:#?,;") or len(text) > 64


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "…")
