"""Which claims are about a run: those of the results that lie beside the folder it is in."""

from __future__ import annotations

import contextlib
from pathlib import Path

from depo.analysis.results import VERDICT, JudgedClaim, read_verdict
from depo.core.errors import DepoError
from depo.experiments.derived import settings_digest
from depo.runs.run import Run


def claims_about(run: Run) -> dict[str, list[JudgedClaim]]:
    """By experiment. ``depo reproduce`` keeps runs in RESULTS/../runs, in folders that begin with
    their labels; what has a label's name and other settings is another run."""
    found: dict[str, list[JudgedClaim]] = {}
    folder = run.path.absolute()
    for path in sorted(folder.parent.parent.glob(f"*/{VERDICT}")):
        with contextlib.suppress(DepoError):  # what cannot be read says nothing
            verdict = read_verdict(path.parent)
            label = _label(folder, list(verdict.settings_digest))
            if label and verdict.settings_digest[label] == settings_digest(run):
                about = [claim for claim in verdict.claims if claim.is_about(label)]
                found |= {path.parent.name: about} if about else {}
    return found


def _label(folder: Path, labels: list[str]) -> str:
    """The label that a run's folder is named by; empty: none."""
    return next((label for label in labels if folder.name.rpartition("-")[0] == label), "")
