from __future__ import annotations

import pytest

from tests.support.recordings import without_children


@pytest.fixture(autouse=True)
def _in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    without_children(request, monkeypatch)
