"""A learning curve as a picture: how much is still wrong, on a logarithmic scale, against the steps."""

import math
from collections.abc import Mapping, Sequence

from ...picture import Line, Picture, Text

WIDE, HIGH, MARGIN = 640.0, 360.0, 48.0
LEAST, MOST = 0.003, 1.0  # wrong
TICKS = {1.0: "100 %", 0.3: "30 %", 0.1: "10 %", 0.03: "3 %", 0.01: "1 %", 0.003: "0.3 %"}
CURVES = {"flat right": ("pairs by their rims", "#9467BD"), "context right": ("pairs in context", "#1F77B4"),
          "place right": ("places", "#2CA02C"), "judged context right": ("pairs in context, unseen", "#D62728"),
          "judged place right": ("places, unseen", "#FF7F0E"),
          "policy right": ("P", "#1F77B4"), "value right": ("V", "#2CA02C"),
          "judged policy right": ("P, unseen", "#D62728"), "judged value right": ("V, unseen", "#FF7F0E")}  # fmt: skip
INK, FAINT = "#303030", "#D8D8D8"
POINTS = 200  # of a curve; each is the mean of what lies between two


def drawn(title: str, lines: Sequence[Mapping[str, float]]) -> Picture:
    """The lines of ``NAME.jsonl``, in order."""
    picture = Picture(WIDE + 3.5 * MARGIN, HIGH + 2 * MARGIN)
    last = max((line["step"] for line in lines), default=1.0)
    for wrong, word in TICKS.items():
        at = _height(wrong)
        picture.add(Line(((MARGIN, at), (MARGIN + WIDE, at)), FAINT, 1.0), Text((MARGIN / 2, at), word, 11, INK))
    for part in range(5):
        step = last * part / 4
        picture.add(Text((MARGIN + WIDE * part / 4, MARGIN + HIGH + 14), f"{step:.0f}", 11, INK))
    picture.add(Text((MARGIN + WIDE / 2, MARGIN + HIGH + 34), "steps", 12, INK))
    picture.add(Text((MARGIN + WIDE / 2, MARGIN / 2), f"{title}: how much is wrong", 14, INK))
    for place, (key, (words, colour)) in enumerate(CURVES.items()):
        met = [(line["step"], 1.0 - line[key]) for line in lines if key in line]
        points = [(MARGIN + WIDE * step / last, _height(wrong)) for step, wrong in _means(met)]
        if len(points) > 1:
            picture.add(Line(tuple(points), colour, 2.0))
            height = MARGIN + 16 + 18 * place
            picture.add(Text((MARGIN + WIDE + 1.2 * MARGIN, height), words, 11, colour))
    return picture


def _means(met: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most so many points."""
    size = max(1, math.ceil(len(met) / POINTS))
    groups = [met[at : at + size] for at in range(0, len(met), size)]
    return [(sum(x for x, _ in group) / len(group), sum(y for _, y in group) / len(group)) for group in groups]


def _height(wrong: float) -> float:
    """Where a share of mistakes lies; at least the least that is shown."""
    share = math.log(min(MOST, max(LEAST, wrong)) / LEAST) / math.log(MOST / LEAST)
    return MARGIN + HIGH * (1.0 - share)
