"""Pausing, stopping, hints and solving again, comparing, refusals, servers that go away, tokens."""

import io
import json
import re
import signal
from pathlib import Path
from typing import Any

from PIL import Image

from support.browser import SOLVED_MS, drop, job_of, new_page, paste, solve, taken, verdict
from support.web import LONG, Server, serving

TOKEN = "a-token-for-the-tests"


def long_one(page: Any) -> str:
    """Begin a job that does not end by itself."""
    paste(page, str(LONG["text"]))
    page.get_by_role("heading", name="Terracotta").wait_for()
    page.locator("#solve select[name=solver]").select_option("depth-first")
    page.get_by_text("More settings").click()
    return solve(page, algorithm="1")


def test_pause_resume_a_minute_more_and_stop(page: Any, server: Server) -> None:
    job = long_one(page)
    page.locator("figcaption", has_text="the board now").wait_for()
    page.locator("#plot path.line").wait_for()
    page.locator("#numbers", has_text=re.compile(r"Rate\s*[\d,.]+ a second", re.IGNORECASE)).wait_for()
    page.get_by_role("button", name="Pause").click()
    verdict(page, "Paused")
    assert server.job(job)["state"] == "paused"
    page.get_by_role("button", name="Resume").click()
    verdict(page, "is solving it")
    page.get_by_role("button", name="Add a minute").click()
    page.locator("#numbers", has_text="of 2 min 0 s").wait_for()
    page.get_by_role("button", name="Stop and keep the best").click()
    verdict(page, "Not solved; this is the best it found")
    assert page.locator("#verdict li").count() >= 1  # what the checker misses
    assert page.get_by_role("link", name="Solution").is_visible()
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url(re.compile("#jobs"))
    assert server.client.get(f"/api/jobs/{job}").status_code == 404


def test_several_jobs_and_their_places(page: Any, server: Server) -> None:
    running = [server.submit(**LONG) for _ in range(2)]
    waiting = server.submit(**LONG)
    page.goto(f"{server.client.base_url}#job/{waiting}")
    verdict(page, "Waiting: number 1 in the queue")
    page.get_by_role("link", name=re.compile(r"Jobs \(3 on the way\)")).click()
    page.locator(".jobs .state", has_text="being solved").nth(1).wait_for()
    page.locator(f'a[href="#job/{waiting}"]').click()
    page.get_by_role("button", name="Cancel").click()
    verdict(page, "Cancelled")
    for job in running:
        server.client.delete(f"/api/jobs/{job}")


def test_pins_and_solving_again(page: Any, server: Server, folder: Path) -> None:
    paste(page, "gapped-3x3")
    page.get_by_role("heading", name="Gapped 3x3").wait_for()
    first = solve(page)
    verdict(page, "as far as anyone can tell")
    before = json.loads(taken(page, "Solution", folder))["pieces"]
    board = page.get_by_role("application")
    board.focus()
    page.keyboard.press("Enter")  # the piece at the upper left, by keyboard
    page.get_by_role("button", name="Move elsewhere").click()
    box = board.bounding_box()
    board.click(
        position={"x": box["width"] * 5 / 6, "y": box["height"] * 5 / 6}
    )  # belongs at the lower right, by pointer
    page.get_by_text(f"Piece {before[0][0]} lies at row 3, column 3").wait_for()
    page.get_by_role("button", name="Solve again with these hints").click()
    page.wait_for_url(lambda url: "#job/" in url and first not in url)
    verdict(page, "as far as anyone can tell")
    after = json.loads(taken(page, "Solution", folder))["pieces"]
    assert after[2][2] == before[0][0] and after != before
    assert server.job(job_of(page))["request"]["hints"] == {"pins": [{"piece": before[0][0], "row": 3, "column": 3}]}
    page.get_by_text(f"Piece {before[0][0]} lies at row 3, column 3").wait_for()  # it goes on from there
    page.get_by_role("button", name=re.compile("Forget")).click()
    assert page.get_by_role("button", name="Solve again with these hints").is_disabled()


def test_a_locked_region_and_neighbours_that_are_none(page: Any, server: Server, folder: Path) -> None:
    paste(page, "jigsaw-small")
    page.get_by_role("heading", name="Jigsaw 4x6").wait_for()
    first = solve(page, effort="fast")
    verdict(page, "as far as anyone can tell")
    before = json.loads(taken(page, "Solution", folder))["pieces"]
    board = page.get_by_role("application")
    box = board.bounding_box()

    def choose(*places: tuple[int, int]) -> None:
        for row, col in places:
            board.click(position={"x": box["width"] * (col + 0.5) / 6, "y": box["height"] * (row + 0.5) / 4})

    choose((0, 0), (0, 1))
    page.get_by_role("button", name="These two are not neighbours").click()
    choose((2, 2), (3, 5))
    page.get_by_role("button", name="Lock this region").click()
    page.get_by_text("Rows 3 to 4, columns 3 to 6 stay as they are").wait_for()
    page.get_by_role("button", name="Solve again with these hints").click()
    page.wait_for_url(lambda url: "#job/" in url and first not in url)
    verdict(page, "as far as anyone can tell")
    after = json.loads(taken(page, "Solution", folder))["pieces"]
    assert [row[2:] for row in after[2:]] == [row[2:] for row in before[2:]]
    at = {piece: (row, col) for row, line in enumerate(after) for col, piece in enumerate(line)}
    (row, col), (other_row, other_col) = at[before[0][0]], at[before[0][1]]
    assert abs(row - other_row) + abs(col - other_col) > 1


def test_two_solvers_side_by_side(page: Any) -> None:
    paste(page, "tiles-6x6")
    page.get_by_role("heading", name="Tiles 6x6").wait_for()
    page.get_by_text("Compare solvers").click()
    for solver in page.locator("#rivals input:checked").evaluate_all("boxes => boxes.map(box => box.value)"):
        page.locator(f'#rivals input[value="{solver}"]').uncheck()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.locator("#compare-problem", has_text="two or more").wait_for()
    for solver in ("sat", "cp-sat"):
        page.locator(f'#rivals input[value="{solver}"]').check()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("heading", name="Tiles 6x6: 2 solvers").wait_for()
    page.locator("#compare-said", has_text="quickest").wait_for(timeout=SOLVED_MS)
    rows = page.locator("#compare-table tbody tr").all_inner_texts()
    assert len(rows) == 2 and all("Solved, and checked" in row and "60 of 60 seams" in row for row in rows)
    assert [row.split()[0] for row in rows] == ["sat", "cp-sat"]
    assert page.locator("#boards img").count() == 2


def test_a_refused_upload_says_why_and_how_to_go_on(page: Any) -> None:
    drop(page, "odd.bin", b"\x00\x01\x02\x03")
    page.locator("#why-refused", has_text="odd.bin").wait_for()
    assert not page.locator("#retry").is_visible()
    file = io.BytesIO()
    Image.new("RGB", (300, 200), "red").save(file, "PNG")
    drop(page, "broken.png", file.getvalue()[:100])
    page.locator("#why-refused", has_text="broken.png").wait_for()
    assert not page.locator("#retry").is_visible()
    drop(page, "plain.png", file.getvalue())  # without a cut to be seen
    page.locator("#why-refused", has_text="plain.png: this picture of 300x200 pixels").wait_for()
    page.locator("#retry").get_by_label("Size of a piece").fill("70")
    page.get_by_role("button", name="Try again").click()
    page.locator("#why-refused", has_text="no whole number of pieces").wait_for()
    page.locator("#retry").get_by_label("Size of a piece").fill("50")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("heading", name="Jigsaw 4x6").wait_for()
    page.locator("#solve").get_by_label("Size of a piece").fill("100")  # what is said of it now shows at once
    page.locator("#solve [data-setting=rows]").focus()
    page.get_by_role("heading", name="Jigsaw 2x3").wait_for()
    page.go_back()
    paste(page, "this is no puzzle")
    page.locator("#why-refused", has_text="this text").wait_for()
    paste(page, "sudoku-9x9")  # and the next one is read all the same
    page.get_by_role("heading", name="Sudoku 9x9").wait_for()
    page.locator("#solve input[name=time_s]").fill("99999")
    page.get_by_role("button", name="Solve it").click()
    assert "#job/" not in page.url  # the form itself says why


def test_a_server_that_is_killed_and_comes_back(browser: Any, tmp_path: Path) -> None:
    server = Server(tmp_path, "--jobs", "1")
    address = str(server.client.base_url)
    page = new_page(browser)
    page.goto(address)
    job = long_one(page)
    page.locator("figcaption", has_text="the board now").wait_for()
    while not server.job(job)["has_solution"]:
        page.wait_for_timeout(50)
    server.end(signal.SIGKILL)
    page.locator("#trouble", has_text="does not answer").wait_for()
    with serving(tmp_path, "--jobs", "1", "--port", str(server.client.base_url.port)):
        verdict(page, "Not solved; this is the best it found")
        page.locator("#verdict", has_text="The server ended while this job ran").wait_for()
        page.locator("#trouble").wait_for(state="hidden")
        page.get_by_role("button", name="Solve again").click()
        page.wait_for_url(lambda url: "#job/" in url and job not in url)
        verdict(page, "is solving it")
        page.get_by_role("button", name="Cancel").click()
        verdict(page, "Cancelled")
        page.close()


def test_a_server_with_a_token_asks_for_it(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path, "--token", TOKEN) as server:
        page = new_page(browser)
        page.goto(str(server.client.base_url))
        page.get_by_label("asks for its token").fill("wrong")
        page.get_by_role("button", name="Go on").click()
        page.locator("#trouble", has_text="not the token").wait_for()
        page.get_by_label("asks for its token").fill(TOKEN)
        page.get_by_role("button", name="Go on").click()
        page.get_by_role("button", name="Sudoku").wait_for()
        page.close()
