"""Scores that may be written down."""

from __future__ import annotations

import pytest

from depo.core.errors import DepoError
from depo.runs.scores import check_finite


def test_nobody_ahead_is_no_divergence() -> None:
    nan = float("nan")
    check_finite(0, {"success": 1.0, "gap_distance": nan, "test_gap_distance": nan}, 64)
    with pytest.raises(DepoError, match="success is nan"):
        check_finite(0, {"success": nan, "gap_distance": 1.0}, 64)
