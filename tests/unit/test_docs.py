"""The recipes in docs/ are followed to the letter, and the other pages are held to the code."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import dovetail as package
from support.command import dovetail

CHECKOUT = Path(package.__file__).parents[2]
BLOCK = re.compile(
    r"<!-- (file|after|run)(?:: ([^\n]*?))? -->\s*?\n(?P<indent> *)```\w*\n(.*?)\n(?P=indent)```", re.DOTALL
)


def blocks(page: str) -> Iterator[tuple[str, str, str]]:
    """What a page asks for: ("file", path, text), ("after", "path: line", text) or ("run", "", commands)."""
    for match in BLOCK.finditer((CHECKOUT / "docs" / page).read_text()):
        yield match[1], match[2] or "", textwrap.dedent(match[4]) + "\n"


def follow(page: str, tree: Path) -> str:
    """Do what the page says in a copy of the project; returns what its commands printed."""
    shown = ""
    for what, where, text in blocks(page):
        if what == "file":
            (tree / where).parent.mkdir(parents=True, exist_ok=True)
            (tree / where).write_text(text)
        elif what == "after":
            path, line = where.split(": ", 1)
            lines = (tree / path).read_text().splitlines(keepends=True)
            at = [n for n, found in enumerate(lines) if found.startswith(line)]
            assert len(at) == 1, f"{path} has one line that starts with {line!r}"
            lines.insert(at[0] + 1, textwrap.indent(text, "    "))
            (tree / path).write_text("".join(lines))
        else:
            shown += run(text, tree)
    return shown


def run(commands: str, folder: Path, path: Path | None = None) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(path or folder / "src"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        environment.pop(name, None)
    done = subprocess.run(
        ["bash", "-euc", commands], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what the recipes touch."""
    copy = tmp_path / "dovetail"
    for part in ("src", "tests", "docs"):
        shutil.copytree(CHECKOUT / part, copy / part, ignore=shutil.ignore_patterns("*.pyc"))  # with what is compiled
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / file, copy)
    return copy


def test_add_a_puzzle_and_a_solver(tree: Path) -> None:
    shown = follow("add-a-puzzle.md", tree)
    assert "queens: n queens on a board" in shown
    assert "solved: queens 8x8" in shown
    assert "kind queens, family grids" in shown, "the playthrough"
    assert re.search(r"\d+ passed", shown)
    shown = follow("add-a-solver.md", tree)
    assert "solved: queens 8x8 by row-by-row" in shown
    # and the strict tools have nothing to say about what the pages tell people to write
    if (known := CHECKOUT / ".mypy_cache").exists():  # what mypy found out about all else (make lint)
        shutil.copytree(known, tree / known.name)
    tools = run(
        "ruff check src/dovetail/grids && mypy src/dovetail/grids && python -m pytest -q tests/unit/test_imports.py",
        tree,
    )
    assert "no issues found" in tools


def test_add_a_game(tree: Path) -> None:
    shown = follow("add-a-game.md", tree)
    assert "solved: pegs 7x7" in shown
    assert '"kind": "pegs"' in shown
    assert len(re.findall(r"\d+ passed", shown)) == 2
    assert "All checks passed" in run("ruff check src/dovetail/moves/games/pegs.py --extend-ignore ANN", tree)


def test_a_package_of_ones_own_is_installed_and_solves(tmp_path: Path) -> None:
    package_folder, site = tmp_path / "package", tmp_path / "site"
    for page in ("add-a-puzzle.md", "add-a-solver.md"):
        for what, where, text in blocks(page):
            if what == "file":
                path = package_folder / "dovetail_queens" / Path(where).name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    (package_folder / "dovetail_queens" / "__init__.py").touch()
    (_, _, pyproject), (_, _, commands) = blocks("plug-ins.md")
    (package_folder / "pyproject.toml").write_text(pyproject)
    run(
        f"python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation "
        f"--target {site} {package_folder}",
        tmp_path,
    )
    shown = run(commands, tmp_path, path=site)
    assert "queens: n queens on a board" in shown
    assert "solved: queens 8x8 by row-by-row" in shown
    # what is not installed is not there
    assert dovetail("solve", "queens-8").status == 2


def python_blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (CHECKOUT / page).read_text(), re.MULTILINE | re.DOTALL)


def test_the_readme_example_runs(tmp_path: Path) -> None:
    examples = python_blocks("README.md")
    assert examples
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})
    assert list(tmp_path.glob("*.png")), "the example draws a picture"


@pytest.mark.parametrize("page", ["README.md", "docs/algebra.md"])
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    lines = (CHECKOUT / page).read_text().splitlines()
    commands = [line for line in lines if line.startswith("dovetail ")]
    assert len(commands) >= 5
    run("\n".join(command for command in commands if " bench " not in command), tmp_path, path=CHECKOUT / "src")


def test_links_and_pictures_in_the_docs_exist() -> None:
    pages = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").glob("*.md")]
    assert len(pages) >= 6
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_architecture_names_every_part_of_the_house() -> None:
    text = (CHECKOUT / "docs" / "architecture.md").read_text()
    for path in (CHECKOUT / "src" / "dovetail").iterdir():
        if path.name not in ("__pycache__", "py.typed"):
            assert f"{path.stem}" in text, f"docs/architecture.md does not mention {path.name}"


def test_what_jigsaw_says_a_command_prints_is_what_it_prints() -> None:
    """Every ``$`` line of docs/jigsaw.md is run; seconds are of the day, and so are lines about a long run.

    How many moves the assembler tries, and what its odds add up to, the page leaves out.
    """

    def masked(text: str) -> list[str]:
        text = re.sub(r"moves [\d.]+ ?[kMG]?, log odds [\d.]+ ?k?,", "moves …, log odds …,", text)
        lines = (re.sub(r"in \d+\.\d+ s", "in … s", line) for line in text.splitlines())
        return [line for line in lines if not re.search(r", \d+ s$", line)]

    page = (CHECKOUT / "docs" / "jigsaw.md").read_text()
    transcripts = re.findall(r"```\n(\$ .*?)```", page, re.DOTALL)
    assert len(transcripts) >= 4
    for command, said in re.findall(r"^\$ dovetail (.*)\n((?:(?!\$ ).*\n)*)", "".join(transcripts), re.MULTILINE):
        result = dovetail(*command.split())
        assert masked(result.err + result.out) == masked(said), command
