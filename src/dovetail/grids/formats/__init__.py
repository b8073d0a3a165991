"""Logic puzzles in the formats that people have: links of players, game ids, texts and files; importable on its own.

``pzpr.read`` and ``pzpr.address`` are both ways between puzz.link addresses and puzzles, ``tatham.read`` and
``tatham.game_id`` between Simon Tatham's game ids and puzzles; the other modules read and write files.
"""

from . import janko, nonogram_text, pzpr, sudoku_text, tatham
from .kinds import (
    CALCUDOKU_FORMATS,
    KAKURO_FORMATS,
    LIGHTUP_FORMATS,
    NONOGRAM_FORMATS,
    NUMBERLINK_FORMATS,
    SLITHERLINK_FORMATS,
    SUDOKU_FORMATS,
    links,
    read_solutions,
)  # fmt: skip

__all__ = [
    "CALCUDOKU_FORMATS", "KAKURO_FORMATS", "LIGHTUP_FORMATS", "NONOGRAM_FORMATS", "NUMBERLINK_FORMATS",
    "SLITHERLINK_FORMATS", "SUDOKU_FORMATS", "janko", "links", "nonogram_text", "pzpr", "read_solutions",
    "sudoku_text", "tatham",
]  # fmt: skip
