"""Trainings from Python show how far they are where somebody watches."""

from __future__ import annotations

import pytest

from depo.api import shown
from depo.runs import progress
from depo.runs.callbacks import Callback
from depo.runs.progress import ProgressBar


@pytest.mark.parametrize(
    ("watched", "asked", "bars"), [(True, True, 1), (True, False, 0), (False, True, 0)]
)
def test_a_bar_is_for_who_watches_and_wants_it(
    monkeypatch, watched: bool, asked: bool, bars: int
) -> None:
    monkeypatch.setattr(progress, "is_watched", lambda: watched)
    own = Callback()
    callbacks = shown([own], asked)
    assert callbacks[0] is own
    assert [type(x) for x in callbacks[1:]] == [ProgressBar] * bars


def test_a_terminal_is_watched_and_a_pipe_is_not(monkeypatch) -> None:
    for is_terminal in (True, False):
        monkeypatch.setattr(progress.stderr, "_force_terminal", is_terminal)
        assert progress.is_watched() == is_terminal
