"""How sure an answer is, drawn on it: seams in colours that everybody can tell apart, pieces in doubt veiled."""

import numpy as np
from numpy.typing import NDArray

from ...core.confidence import SURE, Chances, Confidence
from ...core.puzzle import EMPTY, Solution
from ..board import Board
from ..draw import GROUND, Raster, drawable, laid_picture, on_ground
from ..puzzle import Jigsaw

GUESS = 0.5  # chances under it
# of M. Okabe and K. Ito's colours, which look different to colour-blind eyes, too
BLUE, YELLOW, RED = (0, 114, 178), (240, 228, 66), (213, 94, 0)
INK, VEIL = (60, 52, 44), (255, 255, 255)
VEILED = {RED: 0.6, YELLOW: 0.3}  # how much of a veil shows
LEAST_WIDTH = 640  # pixels: smaller pictures are enlarged
LETTERS = 15  # pixels


def overlay(puzzle: Jigsaw, solution: Solution, confidence: Confidence) -> Raster:
    """The board from above; of two-sided pieces, the side that lies up."""
    placement = drawable(puzzle, solution)
    pieces, turns = (np.array(rows, np.int64) for rows in (placement.pieces, placement.turns))
    picture = on_ground(laid_picture(puzzle, Board(pieces, np.where(pieces == EMPTY, 0, turns))))
    scale = -(-LEAST_WIDTH // picture.shape[1])
    picture = picture.repeat(scale, axis=0).repeat(scale, axis=1).copy()
    height, width = scale * puzzle.height, scale * puzzle.width
    _veil(picture, confidence.pieces, height, width)
    thick = max(1, min(height, width) // 14)
    numbers = dict.fromkeys((BLUE, YELLOW, RED), 0)
    marks = [(*seam, 1) for seam in _seams(confidence.right)] + [(*seam, 0) for seam in _seams(confidence.down)]
    for colour, breadth in ((BLUE, max(1, thick // 4)), (YELLOW, thick), (RED, thick)):  # doubts above the rest
        for row, col, chance, beside in marks:
            if colour_of(chance) != colour:
                continue
            numbers[colour] += 1
            top, left = row * height, col * width
            if beside:
                at = left + width
                picture[top + thick : top + height - thick, at - breadth : at + breadth] = colour
            else:
                at = top + height
                picture[at - breadth : at + breadth, left + thick : left + width - thick] = colour
    return Raster(np.concatenate([picture, _legend(picture.shape[1], numbers)]))


def colour_of(chance: float) -> tuple[int, int, int]:
    """Sure, in doubt, or a guess."""
    return BLUE if chance >= SURE else YELLOW if chance >= GUESS else RED


def _seams(chances: Chances) -> list[tuple[int, int, float]]:
    return [
        (row, col, chance) for row, line in enumerate(chances) for col, chance in enumerate(line) if chance is not None
    ]


def _veil(picture: NDArray[np.uint8], chances: Chances, height: int, width: int) -> None:
    """Pieces in doubt fade."""
    for row, col, chance in _seams(chances):
        share = VEILED.get(colour_of(chance))
        if share is not None:
            part = np.s_[row * height : (row + 1) * height, col * width : (col + 1) * width]
            faded = picture[part] * (1 - share) + np.array(VEIL) * share
            picture[part] = faded.round().astype(np.uint8)


def _legend(width: int, numbers: dict[tuple[int, int, int], int]) -> NDArray[np.uint8]:
    """What the colours mean, and how many seams have them."""
    from PIL import Image, ImageDraw, ImageFont

    step = 2 * LETTERS
    entries = [
        (BLUE, f"sure: a chance of {SURE} or more ({numbers[BLUE]} seams)"),
        (YELLOW, f"in doubt: {GUESS} to {SURE} ({numbers[YELLOW]} seams)"),
        (RED, f"a guess: under {GUESS} ({numbers[RED]} seams)"),
        (None, "pale pieces may lie in the wrong place"),
    ]
    cols = 2 if width < 1200 else 4
    image = Image.new("RGB", (width, step * (len(entries) // cols) + LETTERS), GROUND)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(LETTERS)
    for number, (colour, text) in enumerate(entries):
        left = LETTERS + number % cols * (width // cols)
        middle = LETTERS // 2 + number // cols * step + step // 2
        box = (left, middle - 6, left + 24, middle + 6)
        pen.rectangle(box, fill=VEIL if colour is None else colour, outline=INK)
        pen.text((left + 34, middle), text, fill=INK, font=font, anchor="lm")
    return np.asarray(image)
