"""What a person does with the page, for the tests that drive a real browser."""

import base64
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

WAIT_MS = 60_000
SOLVED_MS = 300_000  # for what is compiled first, on a busy machine
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
HELP = "no chromium found (Debian: apt-get install chromium, or make browser)"
DROP = """([zone, name, data]) => {
  const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name));
  for (const type of ["dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  }
}"""


def chromium() -> str:
    """Where the browser is; where every test must run, its absence is a failure."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(HELP)
        pytest.skip(HELP)
    return found


def new_page(browser: Any) -> Any:
    """One by itself, for a server of its own."""
    page = browser.new_page()
    page.set_default_timeout(WAIT_MS)
    return page


def drop(page: Any, name: str, data: bytes) -> None:
    """A file, dropped where the page asks for one."""
    page.evaluate(DROP, [page.locator("#drop").element_handle(), name, base64.b64encode(data).decode()])


def paste(page: Any, text: str) -> None:
    """A text, pasted and read."""
    page.fill("#text", text)
    page.get_by_role("button", name="Read it").click()


def solve(page: Any, **fields: str) -> str:
    """Fill the form of a recognised puzzle and begin; returns the id of the job."""
    for name, value in fields.items():
        page.locator(f"#solve select[name={name}], #solve select[data-setting={name}]").select_option(value)
    page.get_by_role("button", name="Solve it").click()
    page.wait_for_url(re.compile("#job/"))
    return job_of(page)


def job_of(page: Any) -> str:
    """Which job is shown."""
    return str(page.url.rsplit("/", 1)[1])


def verdict(page: Any, words: str) -> None:
    """Wait until the page says so."""
    page.locator("#verdict .head", has_text=words).wait_for(timeout=SOLVED_MS)


def taken(page: Any, link: str, folder: Path) -> bytes:
    """What a link of the answer downloads."""
    with page.expect_download() as waiting:
        page.locator("#take").get_by_role("link", name=link, exact=True).click()
    path = folder / str(waiting.value.suggested_filename)
    waiting.value.save_as(path)
    return path.read_bytes()
