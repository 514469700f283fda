from __future__ import annotations

import json
from pathlib import Path

import pytest

from depo.analysis.results import JudgedClaim, Results, Verdict, is_results
from depo.core.errors import DepoError

HEAD = "method,environment,seed,env_steps,metric,value\n"


def results(folder: Path, rows: str, verdict: object = None) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "results.csv").write_text(HEAD + rows)
    (folder / "verdict.json").write_text(json.dumps(verdict or {"claims": []}))
    return folder


def test_a_folder_of_results_is_read_by_label(tmp_path: Path) -> None:
    rows = "b,grid,1,20,success,0.5\nb,grid,0,20,success,0.25\na,other,0,10,strange,nan\n"
    own = Results.open(results(tmp_path / "fig", rows))
    assert is_results(tmp_path / "fig")
    assert not is_results(tmp_path)
    assert own.environments == {"b": "grid", "a": "other"}
    assert [row["seed"] for row in own.rows_of("b")] == [0, 1]
    assert (own.score("grid"), own.score("other")) == ("success", "strange")


@pytest.mark.parametrize("row", ["b,grid,x,20,success,1", "b,grid,0,-5,success,1", "b,grid,0", "b"])
def test_damaged_results_are_refused(tmp_path: Path, row: str) -> None:
    with pytest.raises(DepoError, match=r"results.csv is damaged .*reproduce"):
        Results.open(results(tmp_path / "fig", row + "\n"))


def test_a_damaged_verdict_is_refused(tmp_path: Path) -> None:
    claim = {"claim": "a", "expected": "b/c/d < 1", "measured": 1.0, "holds": "of course"}
    with pytest.raises(DepoError, match=r"verdict.json: claims.*holds 'of course'"):
        Results.open(results(tmp_path / "fig", "", {"claims": [claim]}))


def test_a_verdict_says_how_many_hold() -> None:
    claims = [JudgedClaim("a", "", 1.0, None, holds) for holds in (True, False, False, None)]
    assert Verdict(tuple(claims)).told() == "4 claims: 1 holds, 2 do not, 1 not judged"


def test_a_claim_is_about_what_it_measures_or_compares_with() -> None:
    claim = JudgedClaim("a", "bco/steps_to_90_of_depo/max <= 0.5 * gaifo-k4/return/mean", 1.0)
    about = [x for x in ("bco", "depo", "gaifo-k4", "gaifo", "return") if claim.is_about(x)]
    assert about == ["bco", "depo", "gaifo-k4"]


def test_results_of_very_many_runs_are_refused_at_once(tmp_path: Path) -> None:
    """Each is looked for among all, for every environment."""
    rows = "".join(f"m{i},e{i},0,1,return,1\n" for i in range(100_000))
    with pytest.raises(DepoError, match="more than 1,000 different runs"):
        Results.open(results(tmp_path / "fig", rows))
