"""One server and one browser for all tests of the page; whatever the page complains of fails the test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.browser import WAIT_MS, chromium
from support.web import Server, serving


@pytest.fixture(scope="package")  # not the session: as long as it lives, nobody else can run an event loop
def browser() -> Iterator[Any]:
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield running
        running.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("page"), "--jobs", "2") as running:
        yield running


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    """A fresh page at the start, as wide as a laptop."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(WAIT_MS)
    shown = context.new_page()
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.on("console", lambda said: complaints.append(said.text) if _is_complaint(said) else None)
    shown.goto(str(server.client.base_url))
    yield shown
    context.close()
    assert not complaints


def _is_complaint(said: Any) -> bool:
    """Refused requests are shown to people, and browsers note them too; everything else is a mistake of ours."""
    return said.type in ("error", "warning") and "Failed to load resource" not in said.text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """For what is downloaded."""
    return tmp_path
