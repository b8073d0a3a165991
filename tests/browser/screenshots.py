"""Screenshots of the page for docs/web.md, at the width of a telephone and of a desk.

PYTHONPATH=src:tests python tests/browser/screenshots.py [FOLDER]
"""

import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from support.browser import WAIT_MS, chromium
from support.web import LONG, Server, serving

SIZES = {1920: 1080, 360: 780}
QUALITY = 72
SETTLE_MS = 600  # pictures decoded, the plot drawn
BIG = {"text": "astronaut", "time_s": 60, "settings": {"effort": "fast"}}
RIVALS = ("depth-first", "sat", "cp-sat")


def main(folder: Path) -> None:
    """All of them."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as kept, serving(Path(kept), "--jobs", "2") as server, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        views = _prepared(server)
        for width, height in SIZES.items():
            _look(browser, server, views, folder, width, height, "light")
        _look(browser, server, {"answer-dark": views["answer"]}, folder, 1920, 1080, "dark")
        _look(browser, server, {"start-dark": "#"}, folder, 360, 780, "dark")
        browser.close()


def _prepared(server: Server) -> dict[str, str]:
    """Jobs to look at, by the name of their picture."""
    play = server.submit(text="sokoban-first", time_s=30)
    steps = server.submit(text="sudoku-9x9", explain=True)
    rivals = [server.submit(text="tiles-6x6", solver=solver) for solver in RIVALS]
    answer = server.submit(**BIG)
    for job in (play, steps, *rivals, answer):
        server.wait(job, within_s=300)
    running = server.submit(**{**LONG, "time_s": 600})
    return {
        "start": "#", "ready": "", "solving": f"#job/{running}", "answer": f"#job/{answer}", "steps": f"#job/{steps}",
        "moves": f"#job/{play}", "compare": f"#compare/{','.join(rivals)}",
    }  # fmt: skip


def _look(
    browser: Any, server: Server, views: dict[str, str], folder: Path, width: int, height: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    for name, view in views.items():
        page.goto("about:blank")
        page.goto(f"{server.client.base_url}{view}")
        if view in ("", "#"):
            page.locator(".cards img").first.wait_for()
        if name == "ready":
            page.locator('.cards button[data-kind="strips"]').click()
            page.locator("#puzzle[src]").wait_for()
        elif view.startswith("#job"):
            page.locator("#stage img[src]").wait_for()
            if name == "solving":
                page.locator("#plot path.line").wait_for()
            if name.startswith("answer"):
                page.get_by_label("Show how sure").check()
                page.evaluate("width => scrollTo(0, width < 600 ? 230 : 0)", width)
            if name == "steps":
                page.get_by_role("tab", name="Step by step").click()
                page.get_by_role("slider").fill("12")
        elif view.startswith("#compare"):
            page.locator("#compare-said", has_text="All are done").wait_for()
        page.wait_for_timeout(SETTLE_MS)
        _keep(page.screenshot(), folder / f"web-{name}-{width}.webp")
    context.close()


def _keep(picture: bytes, path: Path) -> None:
    Image.open(io.BytesIO(picture)).convert("RGB").save(path, "WEBP", quality=QUALITY, method=6)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/pictures"))
