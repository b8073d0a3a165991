"""What a person sees: a live bar on a terminal, with the best so far and the rate."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from dovetail.core.solver import Progress
from dovetail.terminal import describe, short


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (70, "70"),
        (9999, "9999"),
        (12_345, "12.3 k"),
        (1_234_567, "1.23 M"),
        (5.5e9, "5.5 G"),
        (0.1234, "0.123"),
        (5479.1, "5479"),
    ],
)
def test_short_numbers(value: float, text: str) -> None:
    assert short(value) == text


def test_describe() -> None:
    event = Progress(2_000_000, "placements", 68, 70, "tiles", {"restarts": 3})
    assert describe(event, 0.1) == "tiles 68/70, 2 M placements (20 M/s), restarts 3"
    event = Progress(12, "generations", 12.5, 100, "generation", {"fitness": 17_120.3, "agreement": 0.97})
    assert describe(event, 2.0) == "generation 12.5/100 (6/s), fitness 17.1 k, agreement 0.97", "said once"


def test_a_bar_is_shown_on_a_terminal(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "dovetail", "solve", "terracotta", "--set", "algorithm=1", "--time", "1.5"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, cwd=tmp_path, env=environment)
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    process.communicate(timeout=20)
    os.close(master)
    text = shown.decode()
    assert "\x1b[" in text, "drawn in place"
    assert "terracotta 7x10, depth-first" in text
    assert "placements (" in text and "/70" in text
