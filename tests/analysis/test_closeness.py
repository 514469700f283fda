from __future__ import annotations

import json
from pathlib import Path

import pytest

from depo.analysis.closeness import closeness, kept_closeness
from depo.core.errors import DepoError
from depo.runs.run import Run
from tests.support.kept_runs import GRID, POINT, kept_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run.open(kept_run(POINT, tmp_path_factory.mktemp("close") / "run"), trust=True)


def test_an_untrained_policy_is_told_from_the_recording_and_the_result_kept(run: Run) -> None:
    (found,) = closeness(run, episodes=4)
    assert found.distance.low > 0.5
    assert found.held_out  # two of three episodes are learned from
    assert found.distance.expert_episodes == 1
    assert "distinguishable from the recording" in found.told()
    assert kept_closeness(run) == [found]


def test_what_was_measured_before_more_training_does_not_count(run: Run) -> None:
    path = run.path / "figures" / "occupancy.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"env_steps": 40}))
    assert kept_closeness(run) == []


def test_a_damaged_result_is_refused_in_a_sentence(run: Run) -> None:
    path = run.path / "figures" / "occupancy.json"
    path.write_text('{"format": 1, "env_steps": 80, "closeness": [{"seed": "x"}]}')
    with pytest.raises(DepoError, match="occupancy"):
        kept_closeness(run)


def test_finite_states_have_an_exact_score_instead(tmp_path: Path) -> None:
    with pytest.raises(DepoError, match="divergence"):
        closeness(Run.open(kept_run(GRID, tmp_path / "run")))
