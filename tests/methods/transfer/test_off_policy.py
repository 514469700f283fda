"""Transfer where the answer is known: s' = s + a/10, an expert that walks right half a step."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.analysis.report.charts import charts_of
from depo.analysis.report.contents import contents_of
from depo.analysis.yardstick import yardstick_of
from depo.api import make_job
from depo.cli.training_form import parse_job
from depo.core.errors import DepoError
from depo.core.weights import digest
from depo.data.transitions import Transitions
from depo.models.card import Origin
from depo.plotting.before_after import draw_before_after, returns_of
from depo.plotting.figures import _figure_of_vectors, draw_run
from depo.runs.home import find_environment
from depo.runs.planners import return_before
from depo.runs.problem import open_problem
from depo.runs.run import Run
from tests.environments import point
from tests.environments.point import ID, STEP, straight_demonstrations
from tests.support.arguments import flat

SMALL = {
    "skill_hidden": 32,
    "skill_rate": 3e-3,
    "minibatch": 64,
    "batch_steps": 50,
    "random_steps": 200,
    "evaluate_every": 4,
    "average": 0.02,
}


SHORT = SMALL | {"steps": 200, "random_steps": 100, "evaluate_every": 2}


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Run:
    """A planner that knows the expert's way."""
    folder = tmp_path_factory.mktemp("source")
    demos = straight_demonstrations(folder / "demos.npz")
    changes = {**SMALL, "hidden": 32, "random_steps": 400, "planner_rate": 3e-3, "demo_episodes": 3}
    return depo.train(
        "depo-supervised",
        env=ID,
        demos=demos,
        steps=1_600,
        out=folder / "run",
        **flat(**changes),
    )


@pytest.fixture(scope="module")
def inverted(source: Run, tmp_path_factory) -> Run:
    out = tmp_path_factory.mktemp("inverted") / "run"
    return depo.transfer(
        source.path, env=ID, dynamics="inverted", steps=1_000, out=out, **flat(**SMALL)
    )


def test_a_new_skill_makes_the_old_plan_true(source: Run, inverted: Run) -> None:
    last = inverted.final_scores()[0]
    assert last["planner_unchanged"] == 1.0
    assert last["reach_error_relative"] < 0.15
    skill = depo.load_skill(inverted.path / "skill" / "seed-0")
    planner = depo.load_planner(source.path / "planner" / "seed-0")
    np.testing.assert_array_equal(skill.normaliser.mean, planner.normaliser.mean)
    np.testing.assert_array_equal(skill.normaliser.scale, planner.normaliser.scale)
    states = jnp.array(np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2)), jnp.float32)
    found = np.asarray(skill.mode(states, states + jnp.array([STEP / 2, 0.0])))
    np.testing.assert_allclose(found.mean(axis=0), [-0.5, 0.0], atol=0.1)


def test_what_the_planner_had_before_is_the_measure_and_in_the_figure(
    source: Run, inverted: Run, tmp_path: Path
) -> None:
    planner = depo.load_planner(source.path / "planner" / "seed-0")
    folder = depo.save_planner(tmp_path / "planner", planner, Origin(scores={"return": 12.0}))
    run = depo.transfer(folder, env=ID, dynamics="inverted", out=tmp_path / "run", **flat(**SHORT))
    last = run.final_scores()[0]
    assert last["return_kept"] == pytest.approx(last["return"] / 12.0)
    assert {12.0, 10.8} <= _levels(run)
    assert return_before(inverted, 0) is None  # its card's return is below 0, no measure
    assert "return_kept" not in inverted.final_scores()[0]
    assert not _levels(inverted)


@pytest.mark.parametrize("returns", [(12.0, -1.0), (-1.0, 12.0)])
def test_seeds_whose_planners_have_no_measure_do_not_disturb_the_others(
    source: Run, tmp_path: Path, returns: tuple[float, float]
) -> None:
    plug = {"env": ID, "skill": source.path / "skill" / "seed-0", "steps": 0}
    first = depo.transfer(source.path, out=tmp_path / "first", **flat(**plug))
    planner = depo.load_planner(source.path / "planner" / "seed-0")
    for seed, value in enumerate(returns):
        folder = first.path / "planner" / f"seed-{seed}"
        depo.save_planner(folder, planner, Origin(scores={"return": value}))
    run = depo.transfer(first.path, out=tmp_path / "run", seeds=2, **flat(**plug))
    rows = run.final_scores()
    for row, before in zip(rows, returns, strict=True):
        expected = row["return"] / before if before > 0 else np.nan
        assert row["return_kept"] == pytest.approx(expected, nan_ok=True)


def _levels(run: Run) -> set[float]:
    """The heights of black horizontal lines in a run's picture of returns; yardsticks are grey."""
    lines = [x for x in _figure_of_vectors(run).axes[0].lines if x.get_color() == "black"]
    heights = [line.get_ydata() for line in lines if len(line.get_xdata()) == 2]
    return {round(float(y[0]), 6) for y in heights if y[0] == y[1]}


def test_a_planner_goes_where_it_was_trained_unless_told_otherwise(
    source: Run, tmp_path: Path
) -> None:
    for planner in (source.path, source.path / "planner" / "seed-0"):
        job = make_job("transfer", planner=planner, dynamics="inverted")
        assert (job.environment.id, job.environment.dynamics) == (ID, "inverted")
        flags = ["--dynamics", "inverted", "--env-args", "actions=wide"]
        job = parse_job("transfer", flags, "depo", "", planner=str(planner)).job
        assert job.environment == find_environment(ID, "", {"actions": "wide"}, "inverted")
        job = parse_job("transfer", ["--env", "hopper"], "depo", "", planner=str(planner)).job
        assert job.environment.id == "Hopper-v5"
    alone = depo.save_planner(
        tmp_path / "alone",
        depo.load_planner(source.path / "planner" / "seed-0"),
        Origin(environment="hopper-v5-inverted"),
    )
    assert make_job("transfer", planner=alone).environment == find_environment("hopper")
    depo.save_planner(
        tmp_path / "mine", depo.load_planner(alone), Origin(environment="point-v0")
    )  # the name of a module is not taken from a folder
    with pytest.raises(DepoError, match=r"2-dimensional vectors \(point-v0\).* pass --env"):
        depo.transfer(tmp_path / "mine", out=tmp_path / "run")


def test_under_the_old_skill_the_new_dynamics_go_the_other_way(source: Run) -> None:
    as_it_is, turned = (
        depo.evaluate(source, episodes=3, dynamics=dynamics)[0] for dynamics in (None, "inverted")
    )
    assert turned["reach_error_relative"] > 10 * as_it_is["reach_error_relative"]
    with pytest.raises(DepoError, match="4 numbers, this policy gives 2"):
        depo.evaluate(source, episodes=3, dynamics="mixed")


def test_a_formula_takes_no_step(source: Run, tmp_path: Path) -> None:
    run = depo.transfer(
        source.path,
        env=ID,
        dynamics="inverted",
        skill=point.opposite_inverse,
        steps=0,
        seeds=1,
        out=tmp_path / "run",
    )
    (row,) = run.metrics()
    assert row["env_steps"] == 0
    assert row["reach_error"] < 1e-6
    assert run.status() == "finished"
    assert not (run.path / "replay").exists()
    assert depo.evaluate(run, episodes=3)[0]["reach_error"] < 1e-6
    assert depo.resume(run.path).metrics() == [row]
    bars = returns_of(run)
    assert bars["here"] == [row["return"]]
    assert bars["before"] == [source.final_scores()[0]["return"]]
    assert bars["random"] == [yardstick_of(run).random["return"]]  # as in every table
    assert draw_run(run).read_bytes().startswith(b"\x89PNG")
    first, second = draw_before_after(run).axes[0].get_title().splitlines()
    assert first.startswith("transfer of no steps")
    assert second.startswith("reach error")
    chart, *_ = charts_of(contents_of([source, run], measure=False), ())
    assert [curve["label"] for curve in chart["curves"]] == ["source0/run"]
    level = {
        "label": f"{run.path.parent.name}/run: no steps",
        "value": pytest.approx(row["return"], 1e-5),
    }
    assert level in chart["lines"]
    assert charts_of(contents_of([run], measure=False), ()) == []  # its bars say it
    wrong = depo.transfer(
        source.path,
        env=ID,
        skill=depo.AnalyticSkill(point.opposite_inverse),
        steps=0,
        out=tmp_path / "wrong",
    )
    assert wrong.final_scores()[0]["reach_error_relative"] > 1.0


def test_a_skill_trained_in_advance_takes_no_step_and_no_flags(
    source: Run, inverted: Run, tmp_path: Path
) -> None:
    run = depo.transfer(
        source.path / "planner" / "seed-0",
        env=ID,
        dynamics="inverted",
        skill=inverted.path / "skill" / "seed-0",
        steps=0,
        out=tmp_path / "run",
    )
    assert run.final_scores()[0]["return"] == inverted.final_scores()[0]["return"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"skill": "tests.environments.point:inverse", "steps": 100}, "learns nothing"),
        ({"skill": lambda s, t: t - s, "steps": 0}, "define it as a function of a module"),
        ({"skill": "tests.environments.point:none", "steps": 0}, "has no function 'none'"),
        ({"steps": 0}, r"without a step the skill has to be known, give --skill FOLDER .*seed-0"),
        ({"unfreeze_after": 100}, "no demonstrations"),
        ({"unfreeze_after": 300, "steps": 300, "random_steps": 50}, "set free at 300: raise"),
    ],
)
def test_what_cannot_be_done_gets_a_sentence(source: Run, tmp_path, arguments, message) -> None:
    with pytest.raises(DepoError, match=message):
        depo.transfer(source.path, env=ID, out=tmp_path / "run", **flat(**arguments))


@pytest.mark.slow
def test_a_planner_is_fine_tuned_from_a_step_on(source: Run, tmp_path: Path) -> None:
    run = depo.transfer(
        source.path,
        env=ID,
        dynamics="inverted",
        demos=straight_demonstrations(tmp_path / "demos.npz"),
        out=tmp_path / "run",
        **flat(unfreeze_after=150, **{**SHORT, "steps": 300}),
    )
    assert [row["planner_unchanged"] for row in run.metrics()] == [1.0, 0.0, 0.0]
    before, kept, after = (
        digest(depo.load_planner(path / "seed-0"))
        for path in (source.path / "planner", run.path / "source", run.path / "planner")
    )
    assert before == kept != after
    assert np.isfinite(run.metrics()[-1]["planner_loss"])


@pytest.mark.slow
def test_a_planner_of_absolute_states_is_taken_and_need_not_be_sampled(tmp_path: Path) -> None:
    """As gaifo-dp makes them: its deviation is that of a fresh network."""
    normaliser = depo.Normaliser(jnp.zeros(2), jnp.ones(2))
    planner = depo.GaussianPlanner(jax.random.key(0), normaliser, (8,), absolute=True)
    depo.save_planner(tmp_path / "given", planner)
    run = depo.transfer(
        tmp_path / "given",
        env=ID,
        dynamics="mixed",
        out=tmp_path / "run",
        **flat(sample_plans=False, skill_fit="actions", skill_modes=3, **SHORT),
    )
    assert run.final_scores()[0]["planner_unchanged"] == 1.0
    assert depo.load_skill(run.path / "skill" / "seed-0").modes == 3


@pytest.mark.slow
def test_the_authors_schedule_refits_and_explores_less_and_less(source: Run, tmp_path) -> None:
    short = {"steps": 200, "batch_steps": 50, "random_steps": 50, "refit_every": 100}
    short |= {"skill_hidden": 16, "refit_passes": 2, "evaluate_every": 1, "minibatch": 16}
    run = depo.transfer(source.path, env=ID, preset="paper", out=tmp_path / "run", **flat(**short))
    assert [np.isfinite(row["skill_fit_error"]) for row in run.metrics()] == [1, 1, 0, 1]
    assert run.final_scores()[0]["planner_unchanged"] == 1.0


def test_effects_teach_a_skill_what_the_average_of_actions_cannot(
    source: Run, tmp_path: Path
) -> None:
    missed = {}
    for fit in ("actions", "effects"):
        run = depo.transfer(
            source.path,
            env=ID,
            dynamics="mixed",
            steps=1_000,
            out=tmp_path / fit,
            **flat(skill_fit=fit, **SMALL),
        )
        missed[fit] = run.final_scores()[0]["reach_error_relative"]
    assert missed["effects"] < 0.1
    assert missed["effects"] < missed["actions"] / 2


def test_dynamics_choose_the_fit_unless_one_is_asked_for() -> None:
    def job(**changes):
        return make_job("transfer", env="hopper", planner="given", **flat(**changes))

    assert job(dynamics="gravity=0.8, mixed").settings.skill_fit == "effects"
    assert job(dynamics="inverted").settings.skill_fit == "actions"
    assert job(dynamics="mixed", skill_fit="actions").settings.skill_fit == "actions"
    assert job(dynamics="mixed", preset="paper").settings.skill_fit == "actions"
    with pytest.raises(DepoError, match=r"skill_modes 1, not 16: .*--skill-fit actions"):
        job(dynamics="mixed", skill_modes=16)


def test_a_penalty_keeps_a_skill_by_effects_out_of_the_flat_ends(
    source: Run, tmp_path: Path
) -> None:
    outputs = []
    for penalty in (0.0, 1.0):
        run = depo.transfer(
            source.path,
            env=ID,
            dynamics="mixed",
            steps=500,
            out=tmp_path / str(penalty),
            **flat(skill_fit="effects", output_penalty=penalty, **SMALL),
        )
        skill = depo.load_skill(run.path / "skill" / "seed-0")
        state = jax.random.normal(jax.random.key(0), (100, 2))
        outputs.append(float(jnp.mean(skill.before_tanh(state, state + 0.1).mean ** 2)))
    assert outputs[1] < outputs[0] / 2


@pytest.mark.parametrize("sample", [True, False])
def test_a_skill_by_effects_sees_sampled_plans_only_if_asked(source: Run, sample: bool) -> None:
    job = make_job(
        "transfer",
        env=ID,
        planner=str(source.path),
        dynamics="mixed",
        **flat(skill_fit="effects", sample_plans=sample, **SHORT),
    )
    problem = open_problem(job)
    problem.close()
    [agent] = problem.initial_state().agents
    rows = jnp.array(np.random.default_rng(0).uniform(-1, 1, (8, 4)), jnp.float32)
    batch = Transitions(rows[:, :2], rows, rows[:, 2:], rows[:, 0], rows[:, 0] > 2)
    method = problem.learner.method  # type: ignore[union-attr]
    fitted = [method.fit_skill(agent, batch, batch, jax.random.key(k))[0]["skill"] for k in (0, 1)]
    assert (digest(fitted[0]) != digest(fitted[1])) == sample
