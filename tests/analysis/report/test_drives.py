from __future__ import annotations

import numpy as np

from depo.analysis.report.drives import drive_of
from depo.driving.drivers import ExpertReplay
from depo.driving.environment import DrivingEnvironment
from depo.driving.scene import scene_of
from depo.driving.vehicles import VEHICLES
from tests.support.traffic import recording_of


def test_a_drive_is_told_as_it_was_recorded() -> None:
    """The expert at 10 m/s, and one 20 m ahead in the next lane who is as fast."""
    x = np.arange(0.0, 310.0, 1.0)
    scene = scene_of(recording_of([(0, x, 5.5), (0, x + 20.0, 9.2)], length=np.array([4.5, 12.0])))
    environment = DrivingEnvironment(scene, VEHICLES["normal"], [0])
    found = drive_of(environment, ExpertReplay(), 0, ahead=6)
    start, end = scene.road.zone
    assert found["title"].startswith("vehicle 0: arrived after 2")
    assert found["seconds"][:3] == [0.0, 0.2, 0.4]
    ego = np.array(found["ego"])
    assert start <= ego[0, 0] <= start + 1
    assert ego[-1, 0] > end
    np.testing.assert_allclose(ego[:, 1], 5.5, atol=0.05)
    np.testing.assert_allclose(found["speeds"], 10.0, atol=0.2)
    lengths = {len(found[name]) for name in ("seconds", "speeds", "ego", "plans", "others")}
    assert lengths == {len(ego)}
    (near,) = found["others"][0]  # its rear is 20 m ahead, its middle 6 m more
    np.testing.assert_allclose(near, [ego[0, 0] + 26, 9.2, 12.0, 1.8, 0.0], atol=0.1)
    np.testing.assert_allclose(
        found["plans"][0], [[ego[0, 0] + 1, 5.5], [ego[0, 0] + 4, 5.5]], atol=0.1
    )
    assert found["plans"][-1] == []
    assert found["road"]["zone"] == [start, end]
