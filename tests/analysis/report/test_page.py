from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from depo.analysis.report.contents import contents_of
from depo.analysis.report.page import UPLOT, write_report
from depo.analysis.results import JudgedClaim
from depo.core.errors import DepoError
from depo.runs.run import Run
from tests.support.hostile_page import hostile_report
from tests.support.kept_runs import GRID, POINT, kept_run, with_seeds

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "script", "noscript", "footer"),
    *("h1", "h2", "p", "section", "div", "figure", "figcaption", "img", "video", "details"),
    *("summary", "table", "thead", "tbody", "tfoot", "tr", "th", "td", "code", "pre"),
}


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the texts by element."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append((self.found[-1][0] if self.found else "", data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:80]}")

    def text_of(self, tag: str) -> str:
        return "".join(text for name, text in self.texts if name == tag)


def charts_of(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="charts">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    return with_seeds(kept_run(GRID, tmp_path / "mine"), 0, 1, 2, 3, 4)


def test_a_page_says_what_was_learned_and_how_well(tmp_path: Path, grid: Path) -> None:
    reach = {"seed": 0, "steps": 9, "reach_error": 0.1, "reach_error_relative": 0.7}
    blame = reach | {"unreachable": 0.05, "unskilled": 0.02, "blame": "plan", "features": ["x"]}
    (grid / "figures").mkdir()
    (grid / "figures" / "reachability-seed-0.json").write_text(json.dumps(blame))
    text = write_report([Run.open(grid)], tmp_path / "out" / "page.html").read_text()
    (chart,) = charts_of(text)
    assert chart["steps"] == [64, 128]
    (curve,) = chart["curves"]
    assert (curve["label"], curve["seeds"]) == ("mine", 5)
    assert curve["low"][1] <= curve["middle"][1] <= curve["high"][1]
    assert [line["label"] for line in chart["lines"]] == ["expert", "random"]
    for said in (
        "depo on gridworld-3x3",
        "Learned from:",
        "no action would have reached",
        "depo train depo \\\n  --env gridworld",
        "skill_rate",
        "0.13.8",  # a version
    ):
        assert said in text
    seeds = re.findall(r'<tr><td data-value="[0-4].0" class="number">([0-4])</td>', text)
    assert seeds[:5] == ["0", "1", "2", "3", "4"]


def test_a_run_that_is_not_finished_says_how_far_it_is(tmp_path: Path) -> None:
    run = Run.open(kept_run("point-stopped", tmp_path / "runs" / "halfway"))
    text = write_report([run], tmp_path / "page.html", measure=False).read_text()
    assert text.count("stopped at 80 of 240 steps") == 2  # in the table and above its settings
    with pytest.raises(DepoError, match=r"page.pdf is not called so: -o NAME.html"):
        write_report([run], tmp_path / "page.pdf", measure=False)
    with pytest.raises(DepoError, match=r"it holds runs, as .*halfway: give those"):
        Run.open(tmp_path / "runs")


def test_several_runs_are_compared_in_one_chart(tmp_path: Path, grid: Path) -> None:
    other = kept_run(GRID, tmp_path / "elsewhere" / "mine")
    text = write_report([Run.open(grid), Run.open(other)], tmp_path / "page.html").read_text()
    (chart,) = charts_of(text)
    assert len({curve["label"] for curve in chart["curves"]}) == 2
    assert "elsewhere/mine" in text


def test_other_peoples_curves_have_a_chart_with_returns(tmp_path: Path, grid: Path) -> None:
    (tmp_path / "sac.csv").write_text("step,return\n10,1\n128,3\n")
    page = tmp_path / "page.html"
    text = write_report([Run.open(grid)], page, curves=[str(tmp_path / "sac.csv")]).read_text()
    own, theirs = charts_of(text)
    assert own["title"] == "success rate"
    assert theirs["title"] == "return"
    assert theirs["curves"][0]["middle"] == [1.0, 3.0]
    assert theirs["curves"][0]["foreign"] is True


def test_curves_of_one_environment_are_not_drawn_beside_another(tmp_path: Path, grid: Path) -> None:
    (tmp_path / "sac.csv").write_text("step,return\n10,1\n")
    point = Run.open(kept_run(POINT, tmp_path / "point"))
    with pytest.raises(DepoError, match="write a report for each"):
        write_report([Run.open(grid), point], tmp_path / "p.html", curves=[f"{tmp_path}/sac.csv"])
    assert not (tmp_path / "p.html").exists()


def test_a_strangers_run_is_told_without_importing_its_module(tmp_path: Path) -> None:
    (own,) = contents_of([Run.open(kept_run(POINT, tmp_path / "point"))])
    assert own.closeness == []
    assert any("random policy" in note for note in own.notes)
    assert any("close it comes to the recording" in note for note in own.notes)
    text = write_report([own.run], tmp_path / "page.html").read_text()
    assert [chart["title"] for chart in charts_of(text)] == ["return", "reach error (standardised)"]
    assert "--trust" in text


def test_a_run_without_an_evaluation_has_a_page(tmp_path: Path) -> None:
    run = kept_run(GRID, tmp_path / "new")
    (run / "metrics.csv").unlink()
    text = write_report([Run.open(run)], tmp_path / "page.html", measure=False).read_text()
    assert "There is no evaluation yet." in text
    assert charts_of(text) == []


def test_results_are_told_with_their_verdict(tmp_path: Path, grid: Path) -> None:
    script = "</td><script>alert(1)</script>"
    claims = [
        {"claim": "a", "expected": "depo/x/min < 1", "measured": "never", "holds": False},
        {"claim": script, "expected": "b", "measured": 1234.5, "interval": [1, "never"]},
    ]
    folder = tmp_path / "fig9"
    folder.mkdir()
    (folder / "verdict.json").write_text(json.dumps({"claims": claims}))
    head = "method,environment,seed,env_steps,metric,value\n"
    rows = [f"{script},grid,{seed},10,success,0.{seed}\n" for seed in range(6)]
    (folder / "results.csv").write_text(head + "".join(rows) + "late,grid,0,20,success,nan\n")
    page = tmp_path / "page.html"
    judged = JudgedClaim("about it", "depo/success/min > 0", 1.0, None, True)
    text = write_report(
        [Run.open(grid)], page, results=[folder], claims=lambda _: {"fig2": [judged]}
    ).read_text()
    assert "2 claims: 0 hold, 1 does not, 1 not judged" in text
    assert all(said in text for said in ("✗ fails", "1,234", "1.000 to never", "Claims of fig2"))
    of_results, of_runs = charts_of(text)
    assert of_results["title"] == "grid: success rate"
    assert [curve["seeds"] for curve in of_results["curves"]] == [6, 1]
    assert of_runs["title"] == "success rate"
    assert script not in text
    assert write_report([], page, results=[folder]).read_text().count("<h2>") == 1


def test_nothing_from_files_becomes_markup(tmp_path: Path) -> None:
    text = hostile_report(tmp_path).read_text()
    page = Elements(text)
    assert {tag for tag, _ in page.found} <= TAGS
    scripts = [about for tag, about in page.found if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "charts"}, {}]
    handlers = [name for _, about in page.found for name in about if name.startswith("on")]
    assert handlers == []
    links = [about for _, about in page.found if {"href", "srcdoc", "action"} & set(about)]
    assert links == []
    assert all(
        (about["src"] or "").startswith("data:") for _, about in page.found if "src" in about
    )
    found = re.search(r'id="charts">(.*?)</script>', text)
    assert found
    assert not set("<>&") & set(found[1])
    assert "window.hacked" in text  # it is told, as text


def test_the_policy_allows_nothing_but_what_is_inside(tmp_path: Path, grid: Path) -> None:
    text = write_report([Run.open(grid)], tmp_path / "page.html", measure=False).read_text()
    policy = next(
        about["content"] or ""
        for tag, about in Elements(text).found
        if about.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy


def test_the_plotting_library_comes_with_its_licence() -> None:
    folder = Path(__file__).parents[3] / "src" / "depo" / "analysis" / "report" / "assets"
    assert "v1.6.32" in (folder / f"{UPLOT}.min.js").read_text()[:80]
    assert "The MIT License" in (folder / "uplot-LICENSE.txt").read_text()
