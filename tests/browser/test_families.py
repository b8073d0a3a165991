"""One puzzle of every family, from dropping the file to the verified answer on disk."""

import io
import json
from pathlib import Path
from typing import Any

from PIL import Image

import dovetail
from dovetail import pipeline
from dovetail.core.puzzle import Puzzle, Solution, solution_from_json
from support.browser import drop, solve, taken, verdict


def solution_on_disk(page: Any, folder: Path, puzzle: Puzzle) -> Solution:
    return solution_from_json(json.loads(taken(page, "Solution", folder)), puzzle)


def test_a_logic_grid_and_why(page: Any, folder: Path) -> None:
    puzzle = dovetail.read("calcudoku-4x4")
    drop(page, "puzzle.txt", pipeline.convert(puzzle, "tatham"))
    page.get_by_role("heading", name="Calcudoku 4x4").wait_for()
    page.get_by_label("Explain the answer").check()
    solve(page, solver="sat")
    verdict(page, "Solved, and checked")
    assert dovetail.check(puzzle, solution_on_disk(page, folder, puzzle)).solved
    assert taken(page, "Picture (SVG)", folder).startswith(b"<svg")
    report = json.loads(taken(page, "Report", folder))
    assert "keen" in page.get_by_role("link", name="Open in Simon Tatham").get_attribute("href")
    page.get_by_role("tab", name="Step by step").click()
    words = page.locator(".player .words")
    assert words.inner_text() == "The puzzle as given."
    page.get_by_role("button", name="Next").click()
    texts = [step["text"] for step in report["explanation"]["steps"]]
    assert words.inner_text() == f"1 of {len(texts)}. {texts[0]}"
    page.keyboard.press("End")
    assert words.inner_text() == f"{len(texts)} of {len(texts)}. {texts[-1]}"
    assert page.get_by_role("button", name="Next").is_disabled()


def test_tiles_and_their_viewer(page: Any, folder: Path) -> None:
    puzzle = dovetail.read("tiles-6x6")
    drop(page, "pieces.txt", pipeline.convert(puzzle, "pieces"))
    page.get_by_role("heading", name="Tiles 6x6").wait_for()
    solve(page, solver="sat")
    verdict(page, "Solved, and checked")
    puzzle = dovetail.read(pipeline.convert(puzzle, "pieces").decode())
    assert dovetail.check(puzzle, solution_on_disk(page, folder, puzzle)).solved
    assert Image.open(io.BytesIO(taken(page, "Picture (PNG)", folder))).width > 100
    assert "board_w=6" in page.get_by_role("link", name="Open in the bucas viewer").get_attribute("href")


def test_a_game_move_by_move(page: Any, folder: Path) -> None:
    puzzle = dovetail.read("flood-small")
    drop(page, "flood.json", pipeline.convert(puzzle, "json"))
    page.get_by_role("heading", name="Flood").wait_for()
    solve(page)
    verdict(page, "Solved, and checked")
    solution = solution_on_disk(page, folder, puzzle)
    assert dovetail.check(puzzle, solution).solved
    moves = solution.moves  # type: ignore[union-attr]
    words, image = page.locator(".player .words"), page.locator(".player img")
    assert words.inner_text() == f"Move {len(moves)} of {len(moves)}: {moves[-1]}"
    page.get_by_role("button", name="First").click()
    assert words.inner_text() == "The puzzle as given."
    before = image.get_attribute("src")
    page.keyboard.press("ArrowRight")
    assert words.inner_text() == f"Move 1 of {len(moves)}: {moves[0]}"
    page.locator(f'.player img:not([src="{before}"])').wait_for()
    page.get_by_role("button", name="Play").click()
    page.locator(".player .words", has_text=f"Move {len(moves)} of").wait_for()
    page.get_by_role("slider", name="Move").fill("2")
    assert words.inner_text() == f"Move 2 of {len(moves)}: {moves[1]}"


def test_a_picture_in_pieces(page: Any, folder: Path) -> None:
    puzzle, truth = dovetail.generate("jigsaw", image="chelsea", piece="75x100", seed=3)
    bare = io.BytesIO()  # without the notes by which we know our own pictures
    Image.open(io.BytesIO(pipeline.convert(puzzle, "png"))).save(bare, "PNG")
    drop(page, "../cat.png", bare.getvalue())  # its name plays no part
    page.get_by_role("heading", name="Jigsaw 3x6").wait_for()
    assert page.get_by_label("Size of a piece").is_visible() and page.get_by_label("Pieces may be turned").is_visible()
    assert not page.get_by_label("Seed").is_visible()
    solve(page, effort="fast")
    verdict(page, "as far as anyone can tell")
    solution = solution_on_disk(page, folder, puzzle)
    assert dovetail.check(puzzle, solution, truth).solved
    drawn = Image.open(io.BytesIO(taken(page, "Picture (PNG)", folder)))
    assert drawn.size == (450, 300)
    page.get_by_label("Show how sure").check()
    assert page.locator(".layer .seam.sure").first.get_attribute("d")
    page.get_by_role("tab", name="Before and after").click()
    page.locator(".slider .after").wait_for()
    page.get_by_role("slider").fill("30")
    assert "30%" in page.locator(".slider .after").evaluate("image => image.style.clipPath")
    page.wait_for_function("() => [...document.querySelectorAll('.slider img')].every(one => one.naturalWidth === 450)")
