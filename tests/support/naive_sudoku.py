"""Plain 9×9 sudokus solved by trying, straight from the rules: what the engine is held against."""

import random
from collections.abc import Iterator, Sequence

EVERY = range(1, 10)


def peers(cell: int) -> list[int]:
    """The cells of its row, column and box, itself left out."""
    row, col = divmod(cell, 9)
    return [
        other
        for other in range(81)
        if other != cell
        and (other // 9 == row or other % 9 == col or (other // 27 == row // 3 and other % 9 // 3 == col // 3))
    ]


PEERS = [peers(cell) for cell in range(81)]


def answers(givens: Sequence[int], rng: random.Random | None = None) -> Iterator[tuple[int, ...]]:
    """All of them, in random order if asked; the cell with fewest candidates is filled first."""
    board = list(givens)
    if any(board[cell] and board[cell] == board[peer] for cell in range(81) for peer in PEERS[cell]):
        return iter(())
    return _filled(board, rng)


def _filled(board: list[int], rng: random.Random | None) -> Iterator[tuple[int, ...]]:
    open_ = {
        cell: [digit for digit in EVERY if all(board[peer] != digit for peer in PEERS[cell])]
        for cell in range(81)
        if not board[cell]
    }
    if not open_:
        yield tuple(board)
        return
    cell = min(open_, key=lambda c: len(open_[c]))
    if rng:
        rng.shuffle(open_[cell])
    for digit in open_[cell]:
        board[cell] = digit
        yield from _filled(board, rng)
        board[cell] = 0
