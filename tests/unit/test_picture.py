"""Pictures are written as what their name says, or not at all."""

from pathlib import Path

import pytest

from dovetail import pipeline
from dovetail.core.errors import BadUsage


def test_saved_by_name() -> None:
    drawing = pipeline.draw(pipeline.read("terracotta-3x4"))
    drawing.save("board.PNG")
    drawing.save(Path("board.svg"))
    assert Path("board.PNG").read_bytes() == drawing.png()
    assert Path("board.svg").read_bytes() == drawing.svg()


@pytest.mark.parametrize("name", ["board.gif", "board", "board.png.txt"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(BadUsage, match="a picture is written as"):
        pipeline.draw(pipeline.read("terracotta-3x4")).save(name)
    assert not Path(name).exists()
