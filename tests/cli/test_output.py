"""What a person sees while a run works."""

from __future__ import annotations

import pytest

from depo.cli.output import progress_bar


def test_reports_that_are_minutes_apart_still_give_a_rate_and_an_estimate() -> None:
    now = 0.0
    with progress_bar() as progress:
        progress.get_time = lambda: now
        progress.add_task("depo", total=60_000, score="")
        [task] = progress.tasks
        assert "estimating" in str(progress.columns[3](task))
        for done in (5_000, 10_000, 15_000):
            now += 200.0
            progress.update(task.id, completed=done)
        assert task.speed == pytest.approx(25.0)
        assert task.time_remaining == pytest.approx(1_800)
        assert "25 steps/s" in str(progress.columns[3](task))
