"""``make demo``: one built-in puzzle of every family, solved, checked, drawn and filmed."""

from pathlib import Path

from . import pipeline
from .answers import render, verdict_word
from .core import registry
from .core.files import make_folder, write_atomically
from .core.solver import Budget
from .film import Film
from .terminal import Display

TIME_S = 30.0


def run(folder: Path, display: Display) -> bool:
    """Solve every kind's demo sample; True if all are solved."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    make_folder(folder, parents=True)
    table = Table("puzzle", "solver", "verdict", "seconds", "compiling", "picture and film", box=box.SIMPLE_HEAD)
    all_solved = True
    for kind in registry.kinds():
        if kind.demo is None:
            continue
        puzzle = kind.samples()[kind.demo]()
        job = pipeline.Job(puzzle, registry.AUTO, Budget(TIME_S), seed=0)
        display.note(f"{kind.title}: {job.solver.name} — compiling if this is its first run…")
        job.warm_up()
        film = Film(str(folder / f"{kind.demo}.webp"))
        for event in display.watch(job, f"{kind.name} {puzzle.size}, {job.solver.name}"):
            if event.solution is not None:
                film.show(event.solution)
        answer = job.answer
        if kind.can_explain():  # then the film shows why
            display.note(f"{kind.title}: explaining the answer step by step…")
            film.write(puzzle, (step.draw() for step in kind.explain(puzzle).steps))
        else:
            film.finish(puzzle, answer.solution)
        before, after = folder / f"{kind.demo}-pieces.png", folder / f"{kind.demo}.png"
        write_atomically(before, render(puzzle, None, before))
        if answer.solution is not None:
            write_atomically(after, render(puzzle, answer.solution, after))
        verdict = verdict_word(answer.verdict) if answer.passes else "not solved"
        seconds = answer.report.seconds
        table.add_row(
            f"{kind.name} {puzzle.size}", job.solver.name, verdict, f"{seconds.solve:.2f}", f"{seconds.warm_up:.1f}",
            f"{after}, {film.path.name}",
        )  # fmt: skip
        all_solved &= answer.passes
    Console(width=110).print(table)
    display.note("the same in a browser, with puzzles of your own: pip install 'dovetail[web]', then dovetail serve")
    return all_solved
