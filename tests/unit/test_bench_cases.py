"""The cases of docs/results.md: rows and pictures by one script, words by the page, and neither without the other."""

import importlib.util
import io
import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import dovetail
from dovetail.bench import results
from dovetail.core.errors import BadInput

CHECKOUT = Path(dovetail.__file__).parents[2]
TOLD = tomllib.loads((CHECKOUT / "benchmarks" / "cases.toml").read_text(encoding="utf-8"))["case"]


@pytest.fixture(scope="module")
def script() -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("cases", CHECKOUT / "benchmarks" / "cases.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the page takes its cases from."""
    (tmp_path / "results").mkdir()
    shutil.copy(CHECKOUT / "benchmarks" / "cases.toml", tmp_path)
    shutil.copy(CHECKOUT / "benchmarks" / "results" / "cases.jsonl", tmp_path / "results")
    return tmp_path


def test_there_are_six_of_each_and_every_picture_is_small() -> None:
    assert sum(case["solved"] for case in TOLD) >= 6
    assert sum(not case["solved"] for case in TOLD) >= 6
    pictures = CHECKOUT / "docs" / "pictures" / "cases"
    assert {path.name for path in pictures.iterdir()} == {case["picture"] for case in TOLD}
    for path in pictures.iterdir():
        assert path.stat().st_size <= 60_000, path.name
        with Image.open(path) as image:
            image.load()
            assert max(image.size) <= 460


def test_the_page_says_what_the_last_row_says(folder: Path) -> None:
    rows = folder / "results" / "cases.jsonl"
    row = next(row for row in map(json.loads, rows.read_text().splitlines()) if row["case"] == "tiles-few-colours")
    before = results.cases(folder)
    assert before.count("![") == len(TOLD)
    assert all(" ".join(case["why"].split()) in before for case in TOLD)
    row["scores"]["matched"] = 17
    with rows.open("a") as file:
        file.write(json.dumps(row) + "\n")
    assert f"17 of {row['scores']['seams']} seams match when time was up" in results.cases(folder)


def test_a_case_whose_row_is_missing_or_says_otherwise_is_refused(folder: Path) -> None:
    rows = folder / "results" / "cases.jsonl"
    kept = [line for line in rows.read_text().splitlines(keepends=True) if json.loads(line)["case"] != "pages"]
    gone = [line for line in rows.read_text().splitlines() if line + "\n" not in kept]
    rows.write_text("".join(kept))
    with pytest.raises(BadInput, match=r"the last row of pages says something else; run benchmarks/cases.py pages"):
        results.cases(folder)
    rows.write_text("".join(kept) + json.dumps({**json.loads(gone[-1]), "solved": False}) + "\n")
    with pytest.raises(BadInput, match="the last row of pages"):
        results.cases(folder)


def test_cases_come_in_pairs(folder: Path) -> None:
    text = (folder / "cases.toml").read_text()
    (folder / "cases.toml").write_text(text[: text.rindex("[[case]]")])
    with pytest.raises(BadInput, match="belongs one that is not"):
        results.cases(folder)


def test_a_case_is_made_solved_and_checked(script: Any) -> None:
    case = {"name": "small", "make": "tiles --set width=3 --set height=3 --set colours=3", "solve": "", "solved": True}
    row, picture = script.run({**case, "picture": "small.png"})
    assert row["solved"] and row["status"] == "complete"
    assert row["scores"]["matched"] == row["scores"]["seams"] == 12
    assert row["make"] == case["make"] and row["machine"]["cores"] >= 1
    with Image.open(io.BytesIO(picture)) as image:
        assert image.format == "PNG" and max(image.size) <= script.MOST_PX


def test_wrong_seams_are_those_of_pieces_that_are_no_neighbours(script: Any) -> None:
    truth = [[0, 1, 2], [3, 4, 5]]
    assert list(script.wrong_seams(truth, truth)) == []
    shifted = [[1, 2, 0], [4, 5, 3]]  # one column too far left: only what came round is wrong
    assert list(script.wrong_seams(shifted, truth)) == [(0, 1, False), (1, 1, False)]
    image = Image.new("RGB", (60, 40), "white")
    script.mark(image, shifted, truth)
    assert image.getpixel((40, 10)) == script.RED == image.getpixel((40, 30))
    assert image.getpixel((20, 10)) == (255, 255, 255)


def test_edges_that_fit_best_are_counted(script: Any) -> None:
    """Nearly all of a photograph in large pieces; hardly any where rims of two thirds of a piece are lost."""
    whole = script.best_fits("jigsaw --set image=chelsea --set piece=60 --set rotate=true")
    worn = script.best_fits("jigsaw --set image=chelsea --set piece=30 --set erode=10")
    assert whole > 0.9 > 0.5 > worn
