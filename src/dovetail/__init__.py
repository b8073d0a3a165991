"""Dovetail puts pieces together: give it a puzzle, get a checked solution and a picture of it.

>>> import dovetail
>>> puzzle = dovetail.read("terracotta")
>>> answer = dovetail.solve(puzzle, seed=1)
>>> answer.verdict.solved
True
>>> dovetail.draw(puzzle, answer.solution).save("terracotta.png")  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["__version__", "check", "draw", "explain", "generate", "hint", "read", "solve"]

if TYPE_CHECKING:
    from .pipeline import check, draw, explain, generate, hint, read, solve


def __getattr__(name: str) -> Any:
    # importing dovetail costs nothing; the pipeline comes with the first call
    if name in __all__:
        from . import pipeline

        return getattr(pipeline, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
