"""The page on scale follows its rows; what `make bench-quick` calls a loss is one."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import dovetail as package

CHECKOUT = Path(package.__file__).parents[2]


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(CHECKOUT / "benchmarks"), *sys.path])
    return importlib.import_module(name)


def timed(case: str, workers: int, *seconds: float, same: bool = True) -> dict[str, Any]:
    about = {"run": "2026-11-17T00:00:00", "version": "1", "load": 0.5, "machine": {"cores": 2}}
    return {"case": case, "workers": workers, "seconds": [*seconds], "same": same, **about}


def test_the_page_on_scale_is_what_the_rows_say(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = script("scale", monkeypatch)
    text = scale.PAGE.read_text()
    assert scale.filled(text, scale.read()) == text, "out of date: python benchmarks/scale.py --page"


def test_medians_ratios_and_the_model_come_from_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = script("scale", monkeypatch)
    rows = [timed("count", 1, 1.0, 9.0, 2.0), timed("count", 2, 1.1), timed("other", 2, 1.0, same=False)]
    table = scale.measured_table(rows)
    assert "| count | 2.00 s | 1.10 s | 0.55 | yes |" in table
    assert "| other | – | 1.00 s | – | NO |" in table
    assert scale.measured_table(rows[:2]) != table
    assert scale.modelled_table(rows) == "", "nothing is modelled from nothing"
    rate = {"case": "trivial tasks", "workers": 2, "a_second": 100.0}
    model = scale.modelled_table([*rows, rate])
    assert "| 2 | 1,802 | 2 |" in model
    assert "| 512 | 47 | 77 |" in model, "bounded by how many tasks a coordinator hands out"


def test_the_row_recorded_last_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scale = script("scale", monkeypatch)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (timed("count", 1, 5.0), timed("count", 1, 3.0))))
    assert [row["seconds"] for row in scale.read(path)] == [[3.0]]
    assert scale.read(tmp_path / "none.jsonl") == []


def test_a_loss_is_clear_beyond_the_measured_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = script("quick", monkeypatch)
    quiet, noisy = ({"ratio": 1.0, "deviation": deviation, "valid": True} for deviation in (0.001, 0.05))
    slower = {"ratio": 1.1, "valid": True}
    assert quick.lost(slower, quiet)
    assert not quick.lost(slower, noisy)
    assert not quick.lost({"ratio": 1.04, "valid": True}, quiet), "the least that is called clear"
    assert quick.lost({"ratio": 0.5, "valid": False}, noisy), "quick and wrong"


def test_nothing_recorded_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    quick = script("quick", monkeypatch)
    monkeypatch.setattr(quick, "RESULTS", tmp_path / "quick.jsonl")
    with pytest.raises(SystemExit, match="nothing is recorded yet"):
        quick.compared([*quick.WORKS])
