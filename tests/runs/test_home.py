from __future__ import annotations

from pathlib import Path

from depo.api import make_job
from depo.runs.training import begin
from tests.support.arguments import flat


def test_a_planner_of_the_grid_stays_in_its_world(tmp_path: Path, tiny: dict) -> None:
    begin(make_job("depo", **flat(walls=("1,1",), **tiny)), tmp_path / "run")
    world = make_job("transfer", planner=tmp_path / "run", env_args={"k": 4}).environment.settings
    assert (world.size, world.k, world.walls) == (3, 4, ("1,1",))
    assert (
        make_job("transfer", planner=tmp_path / "run", env="gridworld").environment.settings.size
        == 6
    )
