"""What run folders of older formats say, as the newest has it."""

from __future__ import annotations

import pytest

from depo.driving.settings import DrivingSettings
from depo.environments.by_name import named_environment
from depo.environments.family import EnvironmentSettings
from depo.environments.grid.gridworld import GridWorldSettings
from depo.runs.migrations import from_format_1, to_format_1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            {"id": "depo/GridWorld-v0", "world": {"size": 5, "walls": ["1,1"]}, "arguments": []},
            EnvironmentSettings("grid", GridWorldSettings(size=5, walls=("1,1",))),
        ),
        (
            {"id": "depo/Driving-v0", "world": None, "arguments": [["vehicle", "truck"]]},
            EnvironmentSettings("driving", DrivingSettings(vehicle="truck")),
        ),
        (
            {"id": "Hopper-v5", "world": None, "arguments": [["a", [1]]], "dynamics": "inverted"},
            named_environment("Hopper-v5", {"a": [1]}, "inverted"),
        ),
    ],
)
def test_format_1_is_still_read(old, new: EnvironmentSettings) -> None:
    assert EnvironmentSettings.from_json(from_format_1(old)) == new
    again = to_format_1(new)
    assert again["id"] == old["id"]
    assert again["arguments"] == old["arguments"]
    assert EnvironmentSettings.from_json(from_format_1(again)) == new
