"""What a person sees while a solver works: a live bar on a terminal, plain lines elsewhere, or nothing."""

import math
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

from .core.solver import Progress

LINE_EVERY_S = 2.0


class Display:
    """Everything here goes to standard error; standard output is for results."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._console: Any = None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console

            self._console = Console(stderr=True, highlight=False)

    def note(self, text: str) -> None:
        """One line for the reader."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """One line that the reader must see."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def watch(self, events: Iterable[Progress], name: str) -> Iterator[Progress]:
        """Pass events on, showing them."""
        if self.quiet:
            yield from events
        elif self._console is not None:
            yield from self._bar(events, name)
        else:
            yield from self._lines(events, name)

    def _bar(self, events: Iterable[Progress], name: str) -> Iterator[Progress]:
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns = (
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=24),
            TextColumn("{task.fields[text]}"), TimeElapsedColumn(),
        )  # fmt: skip
        begin = time.monotonic()
        with Bar(*columns, console=self._console, transient=True, refresh_per_second=10) as bar:
            task = bar.add_task(name, total=None, text="")
            for event in events:
                text = describe(event, time.monotonic() - begin)
                bar.update(task, completed=event.best, total=event.goal, text=text)
                yield event

    def _lines(self, events: Iterable[Progress], name: str) -> Iterator[Progress]:
        begin = time.monotonic()
        due = begin + LINE_EVERY_S
        for event in events:
            now = time.monotonic()
            if now >= due:
                self.note(f"{name}: {describe(event, now - begin)}, {now - begin:.0f} s")
                due = now + LINE_EVERY_S
            yield event


def describe(event: Progress, elapsed_s: float) -> str:
    """Best so far, steps and rate, and whatever else the solver tells."""
    goal = "" if event.goal is None else f"/{short(event.goal)}"
    best, rate = f"{event.best_name} {short(event.best)}{goal}", f"({short(event.steps / max(elapsed_s, 1e-3))}/s)"
    steps = [f"{short(event.steps)} {event.unit} {rate}"]
    if event.unit == f"{event.best_name}s":  # how far it got is how many steps it took
        best, steps = f"{best} {rate}", []
    return ", ".join([best, *steps, *(f"{key} {short(value)}" for key, value in event.details.items())])


def short(value: float) -> str:
    """A number a person can take in: 1234567 as 1.23 M."""
    if abs(value) >= 1e13:
        exponent = math.log10(abs(value))  # of whole numbers too large for a float, too
        return f"{value:.2g}" if exponent < 300 else f"10^{exponent:.0f}"
    for least, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least:
            return f"{value / unit:.3g} {letter}"
    return f"{value:.6g}" if float(value).is_integer() else f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
