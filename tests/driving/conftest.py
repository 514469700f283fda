from __future__ import annotations

import pytest

import depo  # noqa: F401  (registers the environment)
from depo.driving.environment import DrivingEnvironment
from depo.driving.scene import scene_of
from depo.driving.traffic.recording import Recording
from depo.driving.vehicles import VEHICLES
from tests.support.traffic import flowing


@pytest.fixture(scope="session")
def recording() -> Recording:
    return flowing()


@pytest.fixture(scope="session")
def environment(recording: Recording) -> DrivingEnvironment:
    return DrivingEnvironment(scene_of(recording), VEHICLES["normal"])


@pytest.fixture(scope="session")
def recording_file(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(recording.save(tmp_path_factory.mktemp("traffic") / "flowing.npz"))
