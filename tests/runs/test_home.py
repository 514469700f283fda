"""Where a model was trained: found again, and never opened because a stranger says so."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import jax
import pytest

import depo
from depo.api import make_job
from depo.environments.by_name import named_environment
from depo.environments.given import environment_of
from depo.models.card import Origin, read_origin
from depo.models.planner import CategoricalPlanner
from depo.runs.home import home_of_origin, home_of_policy, written_home
from depo.runs.training import begin
from tests.support.arguments import flat
from tests.support.corridor import Corridor


def test_a_planner_of_the_grid_stays_in_its_world(tmp_path: Path, tiny: dict) -> None:
    begin(make_job("depo", **flat(walls=("1,1",), **tiny)), tmp_path / "run")
    world = make_job("transfer", planner=tmp_path / "run", env_args={"k": 4}).environment.settings
    assert (world.size, world.k, world.walls) == (3, 4, ("1,1",))
    assert (
        make_job("transfer", planner=tmp_path / "run", env="gridworld").environment.settings.size
        == 6
    )


def test_a_policy_folder_knows_the_arguments_of_its_environment(tmp_path: Path, tiny: dict) -> None:
    run = begin(make_job("depo", **flat(walls=("1,1",), **tiny)), tmp_path / "run")
    policy = run.policy()
    assert home_of_policy(policy) == run.job.environment
    for name in ("kept", "kept-again"):
        policy = depo.load_policy(depo.save_policy(tmp_path / name, policy))
        assert home_of_policy(policy) == run.job.environment


def test_a_policy_for_changed_dynamics_is_scored_under_them() -> None:
    environment = named_environment("CartPole-v1", {"sutton_barto_reward": True}, "permuted")
    origin = Origin(environment=environment.label, home=written_home(environment))
    assert home_of_origin(origin) == environment
    assert home_of_origin(replace(origin, home={})) is None  # an older folder: by its label alone
    assert home_of_origin(Origin(environment="hopper-v5")) == named_environment("hopper")


def test_an_object_is_nobodys_home() -> None:
    environment = environment_of(Corridor())
    assert written_home(environment) == {}


@pytest.mark.parametrize(
    ("home", "sentence"),
    [
        ({"format": 1, "family": "moon", "settings": {}}, "unknown environment family 'moon'"),
        ({"family": "grid", "settings": {}}, "format None"),
        ({"format": 1, "family": "grid", "settings": {"size": "x"}}, "size"),
        ({"format": 1, "family": "driving", "settings": {"recording": "../a.npz"}}, "--trust"),
        ({"format": 1, "family": "gymnasium", "settings": {"id": "evil_gift:A-v0"}}, "--trust"),
        (
            {
                "format": 1,
                "family": "gymnasium",
                "settings": {"id": "Hopper-v5", "arguments": [["xml_file", "./a.xml"]]},
            },
            "--trust",
        ),
    ],
)
def test_the_home_a_stranger_names_is_data(home: dict, sentence: str) -> None:
    with pytest.raises(depo.DepoError, match=sentence):
        home_of_origin(Origin(environment="here", home=home))
    assert "evil_gift" not in sys.modules
    if "--trust" in sentence:
        assert home_of_origin(Origin(home=home), trust=True) is not None


def test_what_a_stranger_names_is_not_taken_over(tmp_path: Path) -> None:
    """Else saving what somebody has handed over would sign it."""
    evil = {"format": 1, "family": "gymnasium", "settings": {"id": "evil_gift:B-v0"}}
    plain = {"format": 1, "family": "driving", "settings": {"neighbours": "gaps"}}
    planner = CategoricalPlanner(jax.random.key(0), states=4, hidden=(8,))
    for home, kept in ((evil, {}), (plain, plain)):
        folder = depo.save_planner(tmp_path / "mine", planner, Origin(home=home))
        assert read_origin(folder).home == kept
    card = json.loads((folder / "settings.json").read_text())
    card["origin"]["home"] = evil
    (folder / "settings.json").write_text(json.dumps(card))
    with pytest.raises(depo.DepoError, match="--trust"):
        depo.imagine(folder)
    with pytest.raises(depo.DepoError, match="--trust"):
        make_job("transfer", planner=folder)
