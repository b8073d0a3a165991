"""What the readers of texts share: lines with their places, and complaints that say where."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .errors import BadInput
from .limits import LINE_CHARACTERS
from .puzzle import Puzzle
from .source import Source


@dataclass(frozen=True)
class Code:
    """A piece of a longer text, and the position of its first character there, counted from 1."""

    text: str
    start: int = 1

    def __getitem__(self, part: slice) -> "Code":
        first = part.indices(len(self.text))[0]
        return Code(self.text[part], self.start + first)

    def fault(self, index: int, what: str) -> BadInput:
        """A complaint about one character."""
        return BadInput(f"position {self.start + index}: {what}")

    def unknown(self, index: int) -> BadInput:
        """The complaint about a character that means nothing there."""
        return self.fault(index, f"{self.text[index]!r} means nothing here")

    def wrong_length(self, found: int, wanted: int, what: str) -> BadInput:
        """The complaint about a text that is cut, or goes on after its end."""
        if found < wanted:
            return BadInput(f"position {self.start + len(self.text)}: the text ends after {found} of {wanted} {what}")
        return BadInput(f"the text holds more than {wanted} {what}")


def numbered_lines(source: Source) -> list[tuple[str, str]]:
    """The lines that hold something, each with its place in words."""
    lines = [(number, line.strip()) for number, line in enumerate(source.text.split("\n"), start=1)]
    filled = [(number, line) for number, line in lines if line]
    if len(filled) == 1:
        return [(source.name, filled[0][1])]
    return [(f"{source.name}, line {number}", line) for number, line in filled]


def first_line(source: Source) -> str:
    """The first line that holds something; empty if it is no text, or longer than any line that says a puzzle."""
    line = source.text.lstrip().partition("\n")[0].rstrip() if source.is_text else ""
    return line if len(line) <= LINE_CHARACTERS else ""


@contextmanager
def at(place: str) -> Iterator[None]:
    """Say of every complaint in the block where it was."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None


def size(text: str, what: str) -> int:
    """How many rows or columns there are."""
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and int(text) > 0):
        raise BadInput(f"the number of {what} is a whole number, 1 or more, not {text[:20]!r}")
    return int(text)


def line_by_line(read: Callable[[str], Puzzle]) -> Callable[[Source, Any], list[Puzzle]]:
    """A reader of files with one puzzle a line."""

    def reader(source: Source, settings: Any) -> list[Puzzle]:
        puzzles: list[Puzzle] = []
        for place, line in numbered_lines(source):
            with at(place):
                puzzles.append(read(line))
        return puzzles

    return reader


def encoded(write: Callable[[Any], str]) -> Callable[[Puzzle], bytes]:
    """A writer of files from one of texts."""
    return lambda puzzle: (write(puzzle) + "\n").encode()
