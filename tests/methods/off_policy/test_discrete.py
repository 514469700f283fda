"""Every method where three steps on a line can be chosen: what is best is known everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import depo
from depo.core.errors import DepoError
from depo.core.weights import digest
from depo.runs.run import Run
from tests.support.arguments import flat
from tests.support.line import ID, LEFT, RIGHT, STAY, STEP, walks
from tests.support.settings import IMITATION, SKILL, SMALL

PLACES = np.linspace(-0.4, 0.6, 6)[:, None]
"""Where the expert was seen."""
ANCHORED = {"calibration": 1.0, "supervision": 1.0, "planner_rate": 1e-3}


def trained(method: str, folder: Path, **changes) -> Run:
    demos = walks(folder / "walks.npz")
    return depo.train(method, env=ID, demos=demos, out=folder / "run", **flat(**changes))


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp("line")
    return trained("depo", folder, steps=1_500, **SKILL, **ANCHORED)


def test_decoupled_policy_optimisation_walks_as_the_expert(source: Run) -> None:
    policy = source.policy()
    assert policy.act(PLACES).tolist() == [RIGHT] * 6
    assert policy.act(PLACES[0]) == RIGHT
    planned = np.mean(policy.plan(PLACES) - PLACES)
    assert planned == pytest.approx(STEP, abs=0.03)
    last = source.metrics()[-1]
    assert last["reach_error_relative"] < 0.3
    assert last["skill_error"] == 0.0


def test_a_planner_is_carried_to_permuted_actions(source: Run, tmp_path: Path) -> None:
    small = {n: v for n, v in SKILL.items() if n not in ("hidden", "demo_episodes")}
    arguments = flat(steps=600, updates_per_step=1.0, **small)
    moved = depo.transfer(source, dynamics="permuted=1-2-0", out=tmp_path / "run", **arguments)
    assert moved.policy().act(PLACES).tolist() == [1] * 6  # does what RIGHT did
    before, after = (depo.load_planner(r.path / "planner" / "seed-0") for r in (source, moved))
    assert digest(before) == digest(after)


@pytest.mark.parametrize(
    ("method", "changes"),
    [
        pytest.param("bco", SKILL | {"actor_rate": 3e-3}, marks=pytest.mark.slow),
        pytest.param("depo-supervised", SKILL | {"planner_rate": 3e-3}, marks=pytest.mark.slow),
        pytest.param("gaifo", IMITATION | {"steps": 3_000}, marks=pytest.mark.slow),
        pytest.param("gaifo-dp", IMITATION | {"steps": 3_000}, marks=pytest.mark.slow),
        pytest.param("depo-agnostic", SKILL | {"steps": 3_000}, marks=pytest.mark.slow),
        pytest.param("bc", IMITATION | {"actor_rate": 3e-3}, marks=pytest.mark.slow),
        pytest.param("gail", IMITATION | {"steps": 3_000}, marks=pytest.mark.slow),
        pytest.param("airl", IMITATION | {"steps": 3_000}, marks=pytest.mark.slow),
        pytest.param("opolo", SKILL | {"steps": 3_000}, marks=pytest.mark.slow),
        pytest.param("iddm", IMITATION | {"steps": 3_000}, marks=pytest.mark.slow),
    ],
)
def test_other_imitators_walk_as_the_expert(method: str, changes: dict, tmp_path: Path) -> None:
    run = trained(method, tmp_path, **{"steps": 1_500} | changes)
    assert run.policy().act(PLACES).tolist() == [RIGHT] * 6


def test_soft_actor_critic_goes_to_the_middle_and_stays(tmp_path: Path) -> None:
    fast = {"actor_rate": 3e-3, "critic_rate": 3e-3}
    run = depo.train("sac", env=ID, out=tmp_path / "run", **flat(steps=1_500, **SMALL, **fast))
    acted = run.policy().act(np.linspace(-0.8, 0.8, 9)[:, None])
    assert acted.tolist() == [RIGHT] * 4 + [STAY] + [LEFT] * 4


@pytest.mark.slow
def test_effects_teach_a_skill_as_actions_do(source: Run, tmp_path: Path) -> None:
    small = {n: v for n, v in SKILL.items() if n not in ("hidden", "demo_episodes")}
    arguments = flat(steps=800, updates_per_step=1.0, skill_fit="effects", **small)
    moved = depo.transfer(source, dynamics="permuted", out=tmp_path / "run", **arguments)
    assert moved.policy().act(PLACES).tolist() == [LEFT] * 6


def test_heads_of_a_skill_are_refused(source: Run, tmp_path: Path) -> None:
    with pytest.raises(DepoError, match="skill_modes 3 are for vectors of actions"):
        depo.transfer(
            source, out=tmp_path / "run", **flat(steps=600, random_steps=200, skill_modes=3)
        )
