"""Shared fixtures. Tests make or ship all their data; nothing outside the checkout is read."""

import os
import sys
from pathlib import Path

import pytest

# what solvers keep from run to run (pattern databases, say) goes where the tests are installed, not to the user's home
os.environ["XDG_CACHE_HOME"] = str(Path(sys.prefix) / "cache")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="record the golden playthroughs anew")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What uses every family comes last: others have compiled by then, and no two compile the same at the same time.

    Of that, what takes longest comes first, so that in the end both workers have something to do.
    """
    longest = ("README.md", "test_add_a_puzzle", "test_add_a_game", "test_demo_draws")

    def when(item: pytest.Item) -> int:
        if item.path.name not in ("test_cli.py", "test_docs.py") and item.path.parent.name != "browser":
            return 0
        return 1 if any(name in item.nodeid for name in longest) else 2

    items.sort(key=when)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test works in an empty folder of its own, so that it cannot leave anything behind."""
    monkeypatch.chdir(tmp_path)
