"""Claims on a page: what was expected, what was measured, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from depo.analysis.report.markup import Cell, Markup, Row, table, tag
from depo.analysis.results import JudgedClaim
from depo.core.metrics import number_text

HOLDS = {True: "✓ holds", False: "✗ fails", None: "– open"}


def claims_table(claims: Sequence[JudgedClaim], caption: str) -> Markup | None:
    """A row for each claim."""
    if not claims:
        return None
    rows: list[Row] = [
        [
            HOLDS[own.holds],
            own.claim,
            _measured(own.measured),
            "–" if own.interval is None else " to ".join(map(_text, own.interval)),
            Cell(tag("code", own.expected)),
        ]
        for own in claims
    ]
    columns = ["verdict", "claim", "measured", "95% interval", "expected"]
    return table(columns, rows, caption=caption, class_="claims")


def _measured(value: float | str) -> Cell:
    if isinstance(value, str):
        return Cell(value, np.inf if value == "never" else np.nan)
    return Cell(_text(value), value)


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else number_text(value)
