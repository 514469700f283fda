from __future__ import annotations

import json
from pathlib import Path

from depo.experiments.derived import settings_digest
from depo.experiments.judged import claims_about
from depo.runs.run import Run
from tests.support.kept_runs import GRID, kept_run


def test_claims_of_results_beside_a_run_are_found(tmp_path: Path) -> None:
    run = Run.open(kept_run(GRID, tmp_path / "runs" / "depo-0123456789"))
    claims = [
        {"claim": "reaches", "expected": "depo/success/min >= 0.9", "measured": 1.0, "holds": True},
        {"claim": "else", "expected": "bco/success/min >= 0.9", "measured": 1.0, "holds": True},
    ]
    digests = {"depo": settings_digest(run), "bco": ""}
    verdicts = {
        "fig2": {"claims": claims, "settings_digest": digests},
        "other-settings": {"claims": claims, "settings_digest": {"depo": "something else"}},
        "damaged": {"claims": "none"},
    }
    for name, verdict in verdicts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "verdict.json").write_text(json.dumps(verdict))
    found = claims_about(run)
    assert {name: [claim.claim for claim in own] for name, own in found.items()} == {
        "fig2": ["reaches"]
    }
    assert claims_about(Run.open(kept_run(GRID, tmp_path / "runs" / "mine"))) == {}
