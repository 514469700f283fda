"""A run that is cut off goes on as if nothing had happened; what it learns where the answer is
known is in ``test_discrete.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.runs import resumes_exactly
from tests.support.settings import IMITATION, SHORT


@pytest.mark.slow
def test_it_resumes_exactly(tmp_path: Path) -> None:
    assert resumes_exactly("gail", tmp_path, **IMITATION | SHORT)
