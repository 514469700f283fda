"""The page as a browser shows it: nothing is fetched, legends toggle, tables sort, phones scroll
nothing but tables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from depo.analysis.report.contents import contents_of
from depo.analysis.report.page import page as page_of
from depo.analysis.report.page import write_report
from depo.runs.run import Run
from tests.support.chromium import chromium
from tests.support.hostile_page import hostile_report
from tests.support.kept_runs import GRID, kept_run, with_seeds

SHOWN = "() => document.querySelector('figure.chart canvas').toDataURL()"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    runs = [
        with_seeds(kept_run(GRID, folder / "mine"), 0, 1, 2),
        kept_run(GRID, folder / "a-run-with-a-name-that-is-longer-than-a-phone-is-wide"),
    ]
    (folder / "sac.csv").write_text("step,return\n10,0.1\n60,0.3\n128,0.4\n")
    curves = [str(folder / "sac.csv")]
    return write_report(list(map(Run.open, runs)), folder / "page.html", curves=curves)


@contextlib.contextmanager
def shown(browser: Any, path: Path, **options: Any) -> Iterator[Any]:
    """A page that says nothing on the console, and asks for nothing but itself."""
    context = browser.new_context(**options)
    page, complaints, asked = context.new_page(), [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url[:60]))
    try:
        page.goto(path.as_uri())
        yield page
        assert complaints == []
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    finally:
        context.close()


def test_charts_are_drawn_and_legends_toggle_their_curves(browser: Any, report: Path) -> None:
    with shown(browser, report) as page:
        assert page.locator("figure.chart canvas").count() == 2
        button = page.locator("figure.chart").first.locator(".legend button").first
        assert "mine (3 seeds)" in button.inner_text()
        before = page.evaluate(SHOWN)
        button.click()
        page.wait_for_function(f"before => ({SHOWN})() !== before", arg=before)
        assert button.get_attribute("aria-pressed") == "false"
        button.press("Space")  # as by hand
        page.wait_for_function(f"before => ({SHOWN})() === before", arg=before)
        assert button.get_attribute("aria-pressed") == "true"


def test_tables_sort_by_click_and_by_keyboard(browser: Any, report: Path) -> None:
    with shown(browser, report) as page:
        table = page.locator("section", has=page.locator("h2", has_text="mine")).locator("table")
        head = table.first.locator("th").first
        seeds = table.first.locator("tbody tr td:first-child")
        head.locator("button").click()
        assert seeds.all_inner_texts() == ["0", "1", "2"]
        head.locator("button").press("Enter")
        assert seeds.all_inner_texts() == ["2", "1", "0"]
        assert head.get_attribute("aria-sort") == "descending"
        feet = table.first.locator("tfoot tr td:first-child").all_inner_texts()
        assert feet == ["random", "expert"]  # which stay below


def test_a_phone_in_the_dark(browser: Any, report: Path) -> None:
    phone = {"width": 390, "height": 844}
    with shown(browser, report, viewport=phone, color_scheme="dark") as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(map(int, paper[4:-1].split(","))) < 150
        page.emulate_media(media="print")
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"


DRIVE = {
    "title": "vehicle 7: arrived after 0.4 s",
    "seconds": [0.0, 0.2, 0.4],
    "speeds": [9.0, 10.0, 11.5],
    "road": {
        "left": 0,
        "right": [[0, 8], [300, 7]],
        "lines": [3.7],
        "zone": [9, 90],
        "length": 300,
    },
    "size": [4.5, 1.8],
    "ego": [[10, 2, 0], [60, 2, 0.1], [110, 3, 0]],
    "plans": [[[12, 2], [14, 2]], [], []],
    "recorded": [[10, 2], [100, 2]],
    "others": [[[30, 5, 4.5, 1.8, 0]], [], [[80, 5, 12, 2.4, 0.05]]],
}


@pytest.mark.parametrize("width", [1400, 390])
def test_a_drive_moves_with_its_slider(browser: Any, tmp_path: Path, width: int) -> None:
    (own,) = contents_of([Run.open(kept_run(GRID, tmp_path / "run"))], measure=False)
    (tmp_path / "page.html").write_text(page_of([replace(own, drives=[DRIVE])]))
    picture = "() => document.querySelector('figure.drive canvas').toDataURL()"
    with shown(browser, tmp_path / "page.html", viewport={"width": width, "height": 800}) as page:
        slider, said = page.locator(".player input"), page.locator(".player output")
        page.wait_for_function("() => document.querySelector('.drive canvas').clientHeight > 50")
        assert said.inner_text() == "0.0 s, 9.0 m/s"
        before = page.evaluate(picture)
        slider.press("End")
        assert said.inner_text() == "0.4 s, 11.5 m/s"
        assert page.evaluate(picture) != before
        page.locator(".player button").click()  # from the beginning, to the end
        page.wait_for_function("() => document.querySelector('.player button').innerText == 'Play'")
        assert said.inner_text() == "0.4 s, 11.5 m/s"
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_tables_need_no_scripting(browser: Any, report: Path) -> None:
    with shown(browser, report, java_script_enabled=False) as page:
        assert page.locator("table").first.is_visible()
        assert page.locator("noscript").first.is_visible()
        assert page.locator("th").first.inner_text() == "run"


def test_hostile_names_do_nothing(browser: Any, tmp_path: Path) -> None:
    with shown(browser, hostile_report(tmp_path)) as page:
        assert page.evaluate("window.hacked") is None
        assert "window.hacked" in page.title()
        assert page.locator("img").count() == 1
