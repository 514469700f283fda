from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from depo.analysis import replayed_return as module
from depo.analysis.replayed_return import recorded_in, replayed_return
from depo.analysis.yardstick import yardstick_of
from depo.data.demonstrations import Demonstrations
from depo.data.shipped import load_demonstrations
from depo.environments.by_name import named_environment
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.runs.run import Run
from tests.support.kept_runs import POINT, kept_run

HOPPER = named_environment("hopper").gymnasium()


@pytest.fixture(scope="module")
def recorded() -> Demonstrations:
    """States alone; the returns that were recorded with them are 3,446.6 on average."""
    return replace(load_demonstrations("hopper"), actions=None, episode_returns=None)


def test_states_alone_give_the_return_that_was_recorded(recorded: Demonstrations) -> None:
    found = replayed_return(HOPPER, recorded)
    assert found is not None
    assert found.is_believed
    assert found.mean == pytest.approx(3446.6, rel=0.01)


def test_a_recording_in_other_units_gives_none(
    recorded: Demonstrations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SAMPLES", 20)
    found = replayed_return(HOPPER, replace(recorded, observations=3 * recorded.observations))
    assert found is not None
    assert not found.is_believed
    assert "does not give" in found.told()


def test_other_dynamics_and_tasks_of_other_simulators(recorded: Demonstrations) -> None:
    other = replace(HOPPER, dynamics="inverted,gravity=0.8", vary="gravity=0.7:1.15")
    assert recorded_in(other) == HOPPER
    assert recorded_in(GymnasiumEnvironment("Pendulum-v1")) is None
    assert recorded_in(replace(HOPPER, observe="mine:features")) is None
    narrow = Demonstrations.from_episodes([np.zeros((5, 3))])
    assert replayed_return(HOPPER, narrow) is None


def test_a_run_without_returns_has_it_on_its_yardstick_once(
    recorded: Demonstrations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "SAMPLES", 20)
    run = Run.open(kept_run(POINT, tmp_path / "run"))
    hopper = replace(run.job, environment=named_environment("hopper"))
    mine = replace(run, job=hopper, wants=())
    recorded.save(mine.path / "demos.npz")
    assert yardstick_of(mine, measure=False).expert == {}
    first = yardstick_of(mine)
    assert first.expert["return"] == pytest.approx(3446.6, rel=0.05)
    assert "100% of 20" in first.replayed or "95% of 20" in first.replayed
    monkeypatch.setattr(module, "replayed_return", None)  # it is kept
    assert yardstick_of(mine, measure=False).expert == first.expert
