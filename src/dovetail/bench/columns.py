"""The columns that a table of set averages can have: each is a cell of an entry that ``averages.summary`` made."""

from collections.abc import Callable
from typing import Any

Entry = dict[str, Any]


def _number(key: str, digits: int) -> Callable[[Entry], str]:
    return lambda entry: "–" if entry.get(key) is None else f"{entry[key]:.{digits}f}"


def _percent(key: str) -> Callable[[Entry], str]:
    return lambda entry: "–" if entry.get(key) is None else f"{100 * entry[key]:.2f}"


def _runs(key: str) -> Callable[[Entry], str]:
    """How many runs have it, where any could."""
    return lambda entry: "–" if entry.get(key) is None else f"{entry[f'{key}_runs']}/{entry['runs']}"


def _text(key: str) -> Callable[[Entry], str]:
    return lambda entry: str(entry[key])


def _case(entry: Entry) -> str:
    said = (("failed", "failed"), ("cut_short", "out of time"))
    remarks = (f" ({entry[key]} of {entry['runs']} runs {how})" for key, how in said if entry[key])
    return "".join([entry["case"], *remarks])


SHOWN: dict[str, Callable[[Entry], str]] = {
    "case": _case,
    "pictures": _text("pictures"),
    "bags": _text("pictures"),  # where each run has several pictures
    "seeds": _text("seeds"),
    "direct %": _percent("direct"),
    "neighbour %": _percent("neighbour"),
    "perfect": _runs("perfect"),
    "direct by content %": _percent("direct_content"),
    "neighbour by content %": _percent("neighbour_content"),
    "perfect by content": _runs("perfect_content"),
    "patch %": _percent("patch"),
    "puzzle %": _percent("puzzle"),
    "patch by content %": _percent("patch_content"),
    "puzzle by content %": _percent("puzzle_content"),
    "enhanced direct": _number("enhanced_direct", 3),
    "enhanced neighbour": _number("enhanced_neighbour", 3),
    "number right %": _percent("number_right"),
    "foreign left out %": _percent("foreign_left_out"),
    "own left out %": _percent("own_left_out"),
    "median s": _number("median_s", 2),
    "mean s": _number("seconds_per_puzzle", 2),
    "peak MB": _number("memory_mb", 0),
    "bar": _text("bar"),
    "paper": _text("paper"),
    "best published": _text("paper"),
}
USUAL = (
    "case", "pictures", "seeds", "direct %", "neighbour %", "perfect", "neighbour by content %", "median s", "mean s",
    "peak MB", "paper",
)  # fmt: skip
GAPPED = (
    "case", "pictures", "puzzle %", "patch %", "neighbour %", "puzzle by content %", "patch by content %",
    "neighbour by content %", "median s", "mean s", "peak MB", "bar", "paper",
)  # fmt: skip
BAGS = (
    "case", "bags", "enhanced neighbour", "enhanced direct", "number right %", "neighbour %", "direct %", "perfect",
    "mean s", "peak MB", "bar", "paper",
)  # fmt: skip
