"""What ``depo reproduce`` left in a results folder, read again: numbers, verdict, pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec

from depo.core.codec import decode
from depo.core.errors import DepoError, readable
from depo.core.files import read_object, read_text
from depo.core.folders import check_folder
from depo.core.metrics import main_metric
from depo.runs.tables import longest_table

RESULTS, VERDICT = "results.csv", "verdict.json"
Spent = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
MOST, MOST_LABELS = 2**53, 1_000
"""Of steps, or a seed's number; and labels of runs, each of which is a row, a chart or both."""
Row = dict[str, float]
Rows = dict[tuple[int, int], Row]
"""By environment steps and seed."""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with what was measured."""

    claim: str
    expected: str
    measured: float | str
    """A word where it is no finite number, or was not measured."""
    interval: tuple[float | str, float | str] | None = None
    holds: bool | None = None
    """None: not judged."""

    def is_about(self, label: str) -> bool:
        """Whether it measures the run of that label, or compares with it."""
        words = self.expected.split()
        return any(w.startswith(f"{label}/") or f"_{label}/" in w for w in words if "/" in w)


@dataclass(frozen=True)
class Verdict:
    """verdict.json: the claims of an experiment, and of every run how long it took."""

    claims: tuple[JudgedClaim, ...] = ()
    runtime_seconds: Mapping[str, Spent] = field(default_factory=dict)
    settings_digest: Mapping[str, str] = field(default_factory=dict)

    def told(self) -> str:
        """How many hold.

        >>> claims = (JudgedClaim("a", "", 1.0, None, True), JudgedClaim("b", "", "not run"))
        >>> Verdict(claims).told()
        '2 claims: 1 holds, 0 do not, 1 not judged'
        """
        held, failed, left = (
            sum(own.holds is found for own in self.claims) for found in (True, False, None)
        )
        every = len(self.claims)
        return (
            f"{every} claim{'s' if every != 1 else ''}: {held} hold{'s' if held == 1 else ''}, "
            f"{failed} do{'es' if failed == 1 else ''} not, {left} not judged"
        )


@dataclass(frozen=True)
class Results:
    """A results folder; ``rows`` and ``environments`` are by the runs' labels."""

    path: Path
    verdict: Verdict
    rows: Mapping[str, Rows]
    environments: Mapping[str, str]

    @classmethod
    def open(cls, path: Path) -> Results:
        """A folder that has a verdict; its results.csv may be missing."""
        check_folder(path)
        return cls(path, read_verdict(path), *read_rows(path))

    def labels(self, environment: str) -> list[str]:
        """The runs in an environment."""
        return [label for label, found in self.environments.items() if found == environment]

    def rows_of(self, label: str) -> list[Row]:
        """A run's rows, as its metrics.csv had them."""
        return [row for _, row in sorted(self.rows[label].items())]

    def score(self, environment: str) -> str:
        """The metric its runs are watched by."""
        rows = [row for label in self.labels(environment) for row in self.rows[label].values()]
        score = main_metric({name for row in rows for name in row})
        return score.name if score else next(iter(rows[0].keys() - {"env_steps", "seed"}))


def is_results(path: Path) -> bool:
    """Whether a folder is one of results."""
    return (path / VERDICT).is_file()


def read_verdict(folder: Path) -> Verdict:
    """The verdict of a folder; an empty one where there is none."""
    path = folder / VERDICT
    stored = read_object(path) if path.exists() else {}
    return decode(Verdict, stored, str(path), strict=False)


def read_rows(
    folder: Path, remedy: str = "remove it, and 'depo reproduce' writes it anew"
) -> tuple[dict[str, Rows], dict[str, str]]:
    """The rows of results.csv, and the environment, of every label."""
    rows: dict[str, Rows] = {}
    environments: dict[str, str] = {}
    path = folder / RESULTS
    if not path.exists():
        return rows, environments
    text = read_text(path, "CSV", longest_table())
    try:
        for line in csv.DictReader(io.StringIO(text)):
            key = int(line["env_steps"]), int(line["seed"])
            if not 0 <= min(key) <= max(key) <= MOST:
                raise ValueError(f"{min(key)} or {max(key)} is no number of steps or seed")
            row = rows.setdefault(line["method"], {}).setdefault(key, {})
            row |= {"env_steps": key[0], "seed": key[1], line["metric"]: float(line["value"])}
            environments.setdefault(line["method"], line.get("environment") or "")
            if len(rows) > MOST_LABELS:
                raise ValueError(f"more than {MOST_LABELS:,} different runs")
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        trouble = readable(str(error))
        raise DepoError(f"{path} is damaged ({trouble}): {remedy}") from None
    return rows, environments
