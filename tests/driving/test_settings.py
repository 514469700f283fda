"""Settings of the driving simulator."""

from __future__ import annotations

import pytest

import depo  # noqa: F401  (registers the environment)
from depo.core.errors import DepoError
from depo.driving.settings import DrivingSettings
from depo.driving.vehicles import find_vehicle


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"horizon": 0}, "horizon 0"),
        ({"horizon": 3_000}, "horizon 3000 is not between 1 and 1,500"),
        ({"horizon": 10.5}, "horizon 10.5 is not a whole number"),
        ({"overlap": -1.0}, "-1.0"),
        ({"neighbours": "gap"}, "unknown neighbours 'gap': did you mean 'gaps'"),
        ({"arrival": "ends"}, "did you mean 'end'"),
        ({"part": "tests"}, "did you mean 'test'"),
    ],
)
def test_impossible_settings_are_refused(settings: dict, message: str) -> None:
    chosen = DrivingSettings()
    for name, value in settings.items():
        object.__setattr__(chosen, name, value)  # the tests' type checker is away
    with pytest.raises(DepoError, match=message):
        chosen.__post_init__()
    with pytest.raises(DepoError, match="did you mean 'truck'"):
        find_vehicle("trucks")
