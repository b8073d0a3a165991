"""By keyboard alone, on a telephone, in the dark; everything has a name, and nothing is wider than the screen."""

import re
from typing import Any

import pytest

from dovetail.core import registry
from support.browser import SOLVED_MS, paste, solve, verdict
from support.web import SMALL, Server

UNNAMED = """() => [...document.querySelectorAll("button, a, input, select, textarea, summary, img")]
  .filter(node => node.checkVisibility() && !(node.ariaLabel || node.labels?.[0]?.textContent.trim()
    || node.textContent.trim() || node.hasAttribute("alt") || node.title)).map(node => node.outerHTML)"""
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# of WCAG 2.1: how much lighter or darker a text is than what it stands on; all at once: a live page changes
FAINT = """nodes => {
  const part = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = colour => {
    const [red, green, blue] = colour.match(/[0-9.]+/g).map(value => part(Number(value) / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = node => {
    let ground = node;
    while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
    const both = [light(getComputedStyle(node).color), light(getComputedStyle(ground).backgroundColor)];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  };
  const shown = nodes.filter(node => node.isConnected && node.checkVisibility());
  return [shown.length, shown.filter(node => contrast(node) < 4.5).map(node => node.outerHTML)];
}"""
FOCUSED = """() => {
  const node = document.activeElement, line = one => getComputedStyle(one).outlineStyle;
  return [node.dataset.kind ?? "", line(node), line(node.parentElement)];
}"""
TEXTS = "h1:visible, h2:visible, p:visible, button:visible:not(:disabled), small:visible, dd:visible"


def test_the_gallery_shows_every_kind(page: Any) -> None:
    page.locator(".cards button").first.wait_for()
    shown = page.locator(".cards button").evaluate_all("cards => cards.map(card => card.dataset.kind)")
    assert sorted(shown) == sorted(registry.kind_names())
    headings = page.locator("#gallery h2").all_inner_texts()
    assert headings == ["Pictures in pieces", "Edges that must match", "Logic grids", "Played move by move"]
    page.wait_for_function("() => [...document.querySelectorAll('.cards img')].every(image => image.naturalWidth > 0)")
    assert page.locator("#camera").get_attribute("capture") == "environment"
    assert page.locator("#camera").get_attribute("accept") == "image/*"


def test_by_keyboard_alone(page: Any) -> None:
    page.locator('.cards button[data-kind="lightup"]').wait_for()
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        assert "solid" in focused[1:], focused  # one always sees where one is
        if focused[0] == "lightup":
            break
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Lightup").wait_for()
    page.locator("#solve select[name=solver]").focus()
    page.keyboard.press("s")  # as in sat
    page.get_by_label("Time, in seconds").focus()
    page.keyboard.press("Enter")
    verdict(page, "Solved, and checked")
    page.get_by_role("tab", name="Answer").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="As given").get_attribute("aria-selected") == "true"
    assert page.locator("#verdict").get_attribute("aria-live") == "polite"


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (360, "dark"), (1920, "light"), (1920, "dark")])
def test_narrow_and_wide_light_and_dark(page: Any, server: Server, width: int, scheme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    jobs = [server.submit(**SMALL), server.submit(**{**SMALL, "solver": "cp-sat"})]
    for job in jobs:
        server.wait(job, within_s=SOLVED_MS / 1000)
    paste(page, "jigsaw-small")
    page.get_by_role("heading", name="Jigsaw").wait_for()
    for view in (page.url, "#", "#jobs", f"#job/{jobs[0]}", f"#compare/{','.join(jobs)}"):
        page.goto(view if view.startswith("http") else f"{server.client.base_url}{view}")
        page.locator("main > section:not([hidden]) :is(.cards button, .board img[src])").first.wait_for()
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        assert page.evaluate(TOO_WIDE) <= 0, view
        assert page.evaluate(UNNAMED) == [], view
        looked_at, faint = page.locator(TEXTS).evaluate_all(FAINT)
        assert looked_at and faint == [], view


def test_going_back_and_reloading(page: Any) -> None:
    paste(page, "sudoku-9x9")
    page.get_by_role("heading", name="Sudoku 9x9").wait_for()
    page.reload()
    page.get_by_role("heading", name="Sudoku 9x9").wait_for()
    solve(page, solver="sat")
    verdict(page, "Solved, and checked")
    page.reload()
    verdict(page, "Solved, and checked")
    page.get_by_role("button", name="Change settings").click()
    page.wait_for_url(re.compile("#puzzle/"))
    page.go_back()
    verdict(page, "Solved, and checked")
    page.get_by_role("link", name="Dovetail").click()
    page.get_by_role("button", name="Surprise me").click()
    page.wait_for_url(re.compile("#puzzle/"))
    page.locator("#puzzle[src]").wait_for()
