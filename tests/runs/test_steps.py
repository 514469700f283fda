"""``--steps N`` means N, also where evaluations and bursts do not divide it; or a sentence why."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from depo.api import make_job
from depo.data.replay import chunks
from depo.runs.job import Job
from depo.runs.run import Run
from depo.runs.settings_file import FORMAT
from depo.runs.training import begin, go_on
from tests.support.arguments import flat
from tests.support.small_jobs import job


def odd(folder: Path, **changes) -> Job:
    """Evaluations come every 80 steps, bursts have 40: the last is of ten steps."""
    return replace(job("third-party", folder, "bco"), steps=250, **changes)


def test_the_last_burst_is_shorter_and_resume_stays_exact(tmp_path: Path) -> None:
    whole = begin(odd(tmp_path, seeds=(0,)), tmp_path / "whole")
    stopped = shutil.copytree(whole.path, tmp_path / "stopped")
    go_on(whole)
    assert [int(row["env_steps"]) for row in whole.metrics()] == [80, 160, 240, 250]
    assert whole.steps_done() == 250
    assert chunks(whole.path / "replay" / "seed-0")[-1].end == 250

    begun, saved = Run.open(stopped), Run.save_checkpoint

    def killed_at_the_last(self: Run, block: int, save: Any) -> None:
        if block == 4:
            raise KeyboardInterrupt
        saved(self, block, save)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "save_checkpoint", killed_at_the_last)
        with pytest.raises(KeyboardInterrupt):
            go_on(begun)
    assert begun.steps_done() == 160
    go_on(Run.open(stopped))
    assert (stopped / "metrics.csv").read_bytes() == (whole.path / "metrics.csv").read_bytes()
    assert Run.open(stopped).latest()[0].read_bytes() == whole.latest()[0].read_bytes()


@pytest.mark.parametrize(
    ("asked", "taken", "sentence"),
    [
        (make_job("depo", env="hopper", steps=6_000), 6_000, ""),
        (make_job("depo", env="hopper", steps=6_001), 6_001, ""),
        (
            make_job("depo", env="driving", **flat(steps=1_203, random_steps=100, copies=50)),
            1_250,
            "1,203 steps become 1,250: all copies and variants take a step together, 50 in all",
        ),
        (
            replace(make_job("depo", env="hopper", steps=30_001), variants=("as-is", "inverted")),
            30_002,
            "30,001 steps become 30,002: all copies and variants take a step together, 2 in all",
        ),
        (
            make_job("depo", steps=6_000),
            6_016,
            "6,000 steps become 6,016: batches are of 64 steps (--batch-steps × --evaluate-every)",
        ),
    ],
)
def test_what_cannot_be_divided_is_rounded_up_and_said(
    asked: Job, taken: int, sentence: str
) -> None:
    assert asked.total_steps == asked.steps_at(asked.blocks) == taken
    assert asked.rounding == sentence


def test_runs_of_the_formats_before_took_steps_up_to_the_next_evaluation() -> None:
    vectors = make_job("depo", env="hopper", steps=6_000).to_json()
    finite = make_job("depo", steps=6_000).to_json()
    for stored, steps in ((vectors, 10_000), (finite, 6_000)):
        assert FORMAT.migrated({"format": 2, "job": stored}, "")["job"]["steps"] == steps
        assert FORMAT.migrated({"format": 3, "job": stored}, "")["job"]["steps"] == 6_000
