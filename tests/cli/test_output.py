"""What a person sees while a run works."""

from __future__ import annotations

import pytest

from depo.cli.output import progress_bar, score_cell, score_text


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


def test_the_score_to_watch_is_the_mean_in_digits_that_mean_something() -> None:
    assert score_text([{"return": 3400.0, "success": 0.25}, {"success": 0.75}]) == (
        "success rate 0.500"
    )
    assert score_text([{"return": 3400.0}, {"return": 3425.4}]) == "return 3,413"
    assert score_text([{"policy_loss": 1.0}]) == score_text([]) == ""


def test_a_cell_is_rounded_by_its_metric() -> None:
    assert score_cell("distance", 98.765) == "98.8"
    assert score_cell("gap_distance", float("nan")) == "–"
    assert score_cell("episodes", 10) == "10"
