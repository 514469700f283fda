"""A new skill on the trunk of the old one: all layers but the last, where there is one."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.core.errors import DepoError
from depo.methods.settings_tree import flat_values
from depo.runs.problem import open_problem
from depo.runs.run import Run
from tests.environments.point import ID, straight_demonstrations
from tests.support.arguments import flat
from tests.support.command import call

SMALL = {"minibatch": 32, "batch_steps": 50, "random_steps": 100, "evaluate_every": 2}
SHAPE = {"skill_hidden": 24, "skill_depth": 3, "pair_input": "states"}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two planners with skills of an unusual shape."""
    folder = tmp_path_factory.mktemp("source")
    demos = straight_demonstrations(folder / "demos.npz")
    given = flat(**SMALL, **SHAPE, hidden=16, steps=200, demo_episodes=2, seeds=2)
    return depo.train("depo-supervised", env=ID, demos=demos, out=folder / "run", **given)


def layers(skill: depo.VectorSkill) -> list[np.ndarray]:
    return [np.asarray(weight) for weight in skill.network.weights]


def begun(job) -> list[depo.VectorSkill]:
    """The skills of a run's seeds before its first step."""
    problem = open_problem(job)
    try:
        state = problem.initial_state()
        return [problem.learner.skill(state, i) for i in range(len(job.seeds))]
    finally:
        problem.close()


def test_a_new_skill_has_its_own_last_layer_on_the_old_trunk(source: Run) -> None:
    job = make_job("transfer", planner=source, env=ID, seeds=2)
    values = flat_values(job.settings)
    assert values["skill_start"] == "trunk"
    assert {name: values[name] for name in SHAPE} == SHAPE  # nobody has to repeat it
    for seed, own in enumerate(begun(job)):
        old = depo.load_policy(source.path / "policy" / f"seed-{seed}").model.skill
        for kept, before in zip(layers(own)[:-1], layers(old)[:-1], strict=True):
            np.testing.assert_array_equal(kept, before)
        assert not np.allclose(layers(own)[-1], layers(old)[-1])
        np.testing.assert_array_equal(own.normaliser.scale, old.normaliser.scale)


def test_a_planner_alone_gets_a_fresh_skill(source: Run, tmp_path: Path) -> None:
    planner = shutil.copytree(source.path / "planner" / "seed-0", tmp_path / "alone")
    job = make_job("transfer", planner=planner, env=ID)
    assert flat_values(job.settings)["skill_start"] == "fresh"
    asked = make_job("transfer", planner=planner, env=ID, overrides={"skill_start": "trunk"})
    with pytest.raises(DepoError, match=r"no policy .* beside planner .*--skill-start fresh"):
        begun(asked)


def test_as_the_authors_did_it_is_fresh(source: Run) -> None:
    for preset in ("paper", "v0.1"):
        values = flat_values(make_job("transfer", planner=source, env=ID, preset=preset).settings)
        assert values["skill_start"] == "fresh"
        assert values["skill_depth"] != SHAPE["skill_depth"]


def test_a_skill_that_is_given_is_kept_whole(source: Run) -> None:
    skill = source.path / "skill" / "seed-1"
    job = make_job("transfer", planner=source, env=ID, skill=skill)
    assert flat_values(job.settings)["skill_start"] == "fresh"
    np.testing.assert_array_equal(layers(begun(job)[0])[-1], layers(depo.load_skill(skill))[-1])
    with pytest.raises(DepoError, match=r"skill_start has no effect here: .* kept whole"):
        make_job(
            "transfer", planner=source, env=ID, skill=skill, overrides={"skill_start": "trunk"}
        )


def test_another_shape_is_refused_with_the_way_out(source: Run) -> None:
    job = make_job("transfer", planner=source, env=ID, overrides={"skill_hidden": 8})
    with pytest.raises(DepoError, match=r"leave --skill-hidden.* out, or pass --skill-start fresh"):
        begun(job)


def test_each_seed_of_a_grid_world_has_the_trunk_of_its_own(tmp_path: Path) -> None:
    run = depo.train("depo", steps=64, seeds=2, out=tmp_path / "run", progress=False)
    job = make_job("transfer", planner=run, env_args={"k": 2}, seeds=2)
    for seed, own in enumerate(begun(job)):
        old = depo.load_policy(run.path / "policy" / f"seed-{seed}").model.skill
        assert own.network.weights[-1].shape[-1] == 2 * old.network.weights[-1].shape[-1]
        for kept, before in zip(layers(own)[:-1], layers(old)[:-1], strict=True):
            np.testing.assert_array_equal(kept, before)


def test_a_trunk_learns_other_actions_sooner(tmp_path: Path) -> None:
    """With k = 4 every action has four names, which a trunk need not know."""
    run = depo.train("depo", steps=1_920, seeds=3, out=tmp_path / "run", progress=False)
    success = {}
    for start in ("trunk", "fresh"):
        carried = depo.transfer(
            run,
            env_args={"k": 4},
            steps=128,
            seeds=3,
            overrides={"skill_start": start},
            out=tmp_path / start,
            progress=False,
        )
        success[start] = np.mean([scores["success"] for scores in carried.final_scores()])
    assert success["trunk"] > success["fresh"] + 0.1


def test_a_dry_run_says_what_a_skill_begins_with(source: Run, capsys) -> None:
    for start, said in (("trunk", "on the trunk of the one beside"), ("fresh", "from nothing")):
        words = ["--env", ID, "--skill-start", start, "--dry-run"]
        assert call("transfer", str(source.path), *words) == 0
        assert said in " ".join(capsys.readouterr().out.split())
