"""Results that outlive their runs know which settings and recordings they are of."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from depo.api import make_job
from depo.core.errors import DepoError
from depo.data import Demonstrations
from depo.driving.settings import DrivingSettings
from depo.environments.family import EnvironmentSettings
from depo.experiments.derived import settings_digest
from depo.experiments.sweep import PlannedRun, Sweep
from depo.runs.job import Job


def made_in(recording: str) -> Job:
    """A job in a scene."""
    environment = EnvironmentSettings("driving", DrivingSettings(recording))
    return dataclasses.replace(make_job("depo"), environment=environment)


def test_results_of_another_scene_are_others() -> None:
    here, elsewhere, other = map(made_in, ("here/flow.npz", "there/flow.npz", "here/jam.npz"))
    assert settings_digest(here) == settings_digest(elsewhere) != settings_digest(other)


@pytest.mark.parametrize(
    ("digest", "said"),
    [
        ("4b415c65", {}),
        ("dd1755e2", {"env_args": {"k": 2, "walls": ("1,1",)}}),
        ("d8193b41", {"variants": ("1", "2")}),
        ("1303ecc1", {"method": "gaifo", "env": "hopper", "dynamics": "inverted"}),
        ("a55b3ff0", {"method": "sac", "env": "ant"}),
    ],
)
def test_results_kept_before_format_2_are_still_known(digest: str, said: dict) -> None:
    assert settings_digest(make_job(**said, preset="v0.1")) == digest


def test_a_scene_made_anew_is_not_taken_for_the_old_one(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "flow.npz").touch()
    sweep = Sweep(tmp_path / "runs", {"depo": PlannedRun(made_in(str(tmp_path / "flow.npz")))})
    old, new = (Demonstrations.from_episodes([np.full((3, 28), x)]) for x in (0.0, 1.0))
    old.save(sweep.path("depo") / "demos.npz")
    monkeypatch.setattr("depo.experiments.sweep.default_demonstrations", lambda *_: old)
    sweep._check_demonstrations("depo")
    monkeypatch.setattr("depo.experiments.sweep.default_demonstrations", lambda *_: new)
    with pytest.raises(DepoError, match=r"other recordings than .*flow.npz holds now"):
        sweep._check_demonstrations("depo")
