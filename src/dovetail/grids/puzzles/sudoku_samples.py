"""Small built-in sudokus, one of each variant, each with one answer."""

from collections.abc import Callable, Mapping

from ...core.puzzle import Puzzle
from .sudoku import BLANK, Cage, Sudoku, boxes


def plain() -> Sudoku:
    """The usual size."""
    return Sudoku(
        9,
        _givens(
            "........2 9...7.6.. ...85..4. ...4..856 .65..8... .4.....9. .8....2.. 3..69.7.. .....7..."
        ),
        boxes(3, 3),
    )  # fmt: skip


def diagonal() -> Sudoku:
    """Both diagonals count."""
    return Sudoku(6, _givens("...13. 1..... 4..... ...3.. ...5.. ...2.."), boxes(2, 3), diagonals=True)


def jigsaw() -> Sudoku:
    """Seven rows have no boxes."""
    regions = "aaabbbb acacddb acccddb aecffdb eecfgdd eeffggg eeffggg"
    return Sudoku(
        7,
        _givens("..6.47. ......3 5..3... ....... .2..... ...6... .3.47.."),
        tuple(ord(letter) for letter in regions.replace(" ", "")),
    )


def killer() -> Sudoku:
    """Sums, and no givens."""
    cages = (
        (4, (0, 1)), (20, (2, 6, 7, 8, 9)), (18, (3, 4, 5, 10, 11)), (13, (12, 13, 14)), (16, (15, 21, 26, 27, 32)),
        (16, (16, 17, 22, 23)), (9, (18, 24)), (3, (19, 20)), (8, (25, 30, 31)), (14, (28, 33, 34)), (5, (29, 35)),
    )  # fmt: skip
    return Sudoku(6, (BLANK,) * 36, boxes(2, 3), cages=tuple(Cage(total, cells) for total, cells in cages))


def _givens(rows: str) -> tuple[int, ...]:
    return tuple(BLANK if symbol == "." else int(symbol) for symbol in rows.replace(" ", ""))


SAMPLES: Mapping[str, Callable[[], Puzzle]] = {
    "sudoku-9x9": plain,
    "sudoku-x": diagonal,
    "sudoku-jigsaw": jigsaw,
    "sudoku-killer": killer,
}
