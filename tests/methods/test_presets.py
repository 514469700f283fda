"""The preset `paper` against the authors' table, written down here once more."""

from __future__ import annotations

import pytest

from depo.api import make_job
from depo.experiments.derived import description
from depo.methods.presets import preset_settings
from depo.methods.registry import OFF_POLICY
from depo.methods.settings_tree import flat_values
from depo.runs.job import Job

IDS = {
    name: f"{name}-v5"
    for name in ("InvertedPendulum", "Hopper", "Walker2d", "HalfCheetah", "Humanoid", "Ant")
}
COLUMNS = tuple(IDS)
COMMON = {
    "replay": 20_000,
    "skill_replay": 1_000_000,
    "minibatch": 256,
    "reward": "log-d",
    "logit_clip": 10.0,
    "gamma": 0.99,
    "noise": 1.0,
    "skill_rate": 1e-4,
    "planner_rate": 3e-4,
    "adam_beta": 0.25,
    "refit_patience": 5,
    "skill_depth": 4,
    "relabel": True,
    "termination": "ignored",
    "log_std_floor": 20.0,
    "log_std_ceiling": 2.0,
    "output_penalty": 1e-3,
    "batch_steps": 1_000,
}
BY_TASK = {
    "standardise": (False, True, True, True, True, True),
    "gradient_penalty": (4.0, 4.0, 8.0, 0.5, 16.0, 0.5),
    "supervision": (1.0, 0.1, 0.1, 0.01, 0.1, 0.1),
    "calibration": (1.0, 0.1, 0.1, 0.01, 0.1, 0.1),
    "supervision_loss": ("squared", *("likelihood",) * 5),
    "reward_shift": (0.0, 10.0, 0.0, 0.0, 0.0, 0.0),
    "updates_per_step": (0.1, 1.0, 1.0, 1.0, 0.1, 1.0),
    "refit_every": (10_000, 10_000, 10_000, 10_000, 10_000, 1_000),
    "random_steps": (1_000, 5_000, 5_000, 5_000, 5_000, 10_000),
    "first_fit_passes": (50, 1_000, 1_000, 100, 500, 1_000),
    "reward_scale": (2.0, 2.0, 2.0, 2.0, 2.0, 8.0),
    "epsilon": (0.0, 0.0, 0.0, 0.0, 0.0, 0.99),
}


@pytest.mark.parametrize("task", IDS)
def test_depo_has_the_authors_settings(task: str) -> None:
    settings = preset_settings("depo", "paper", OFF_POLICY, IDS[task])
    row = {name: values[COLUMNS.index(task)] for name, values in BY_TASK.items()}
    asked = COMMON | row
    flat = flat_values(settings)
    assert {name: flat[name] for name in asked} == asked


@pytest.mark.parametrize(
    ("method", "task", "expected"),
    [
        ("gaifo", "Hopper", {"temperature": 0.2, "tune_temperature": True, "reward_shift": 0.0}),
        ("gaifo", "HalfCheetah", {"temperature": 0.0, "tune_temperature": False}),
        ("gaifo", "InvertedPendulum", {"updates_per_step": 0.1, "gradient_penalty": 4.0}),
        ("gaifo-dp", "Hopper", {"plan_difference": True, "tune_temperature": True}),
        ("gaifo-dp", "Walker2d", {"plan_difference": False, "tune_temperature": True}),
        ("gaifo-dp", "HalfCheetah", {"plan_difference": False, "tune_temperature": False}),
        ("bco", "Hopper", {"actor_rate": 3e-4, "adam_beta": 0.9, "clone_samples": True}),
        ("bco", "InvertedPendulum", {"actor_rate": 4e-4, "adam_beta": 0.9}),
        ("bco", "Walker2d", {"actor_rate": 1e-3, "adam_beta": 0.0}),
        ("depo-supervised", "Hopper", {"planner_rate": 1e-3, "supervision_loss": "sampled"}),
        ("depo-rl", "Hopper", {"reward_scale": 2.0, "calibration": 0.1, "replay": 1_000_000}),
        ("depo-rl", "Walker2d", {"calibration": 0.01, "termination": "zero"}),
        ("sac", "Hopper", {"reward_scale": 2.0, "replay": 1_000_000, "termination": "zero"}),
        ("transfer", "Hopper", {"epsilon": 0.99, "epsilon_decay": 0.1, "refit_every": 5_000}),
    ],
)
def test_the_others_have_theirs(method: str, task: str, expected: dict) -> None:
    settings = preset_settings(method, "paper", OFF_POLICY, IDS[task])
    flat = flat_values(settings)
    assert {name: flat[name] for name in expected} == expected


@pytest.mark.parametrize(("method", "penalty"), [("depo", 8.0), ("gaifo", 4.0)])
def test_driving_has_the_authors_settings(method: str, penalty: float) -> None:
    settings = preset_settings(method, "paper", OFF_POLICY, "depo/Driving-v0")
    expected = {
        "reward": "-log(1-d)",
        "reward_scale": 2.0,
        "gradient_penalty": penalty,
        "minibatch": 256,
        "replay": 1_000_000,
        "termination": "zero",
        "batch_steps": 1_000,
        "updates_per_step": 0.1,
        "adam_beta": 0.25,
    }
    expected |= {"supervision": 1.0, "calibration": 1.0} if method == "depo" else {}
    expected |= {"temperature": 1.0, "tune_temperature": False} if method == "gaifo" else {}
    flat = flat_values(settings)
    assert {name: flat[name] for name in expected} == expected
    assert [settings.exploration.epsilon_at(steps) for steps in (0, 99_999, 250_000)] == [
        0.9,
        0.9,
        0.225,
    ]


def test_settings_that_came_later_do_not_make_older_runs_others() -> None:
    job = make_job("depo", env="hopper", demos="hopper")
    assert "epsilon_decay" not in description(job)["settings"]
    falling = make_job(
        "depo", env="hopper", demos="hopper", overrides={"epsilon": 0.5, "epsilon_decay": 0.5}
    )
    assert Job.from_json(falling.to_json()) == falling
    assert Job.from_json(job.to_json()) == job


TASKS = ("InvertedPendulum-v5", "Hopper-v5", "HalfCheetah-v5", "Walker2d-v5", "depo/Driving-v0")


def test_driving_keeps_what_its_figures_were_made_with() -> None:
    now, then = (
        preset_settings("depo", preset, OFF_POLICY, TASKS[-1]) for preset in ("fast", "v0.1")
    )
    assert now == then


@pytest.mark.parametrize("task", TASKS[:-1])
def test_the_recipe_is_fast_on_every_other_task(task: str) -> None:
    now, recipe = (
        preset_settings("depo", preset, OFF_POLICY, task) for preset in ("fast", "recipe")
    )
    assert now == recipe


@pytest.mark.parametrize("task", TASKS)
def test_the_recipe_knows_no_task(task: str) -> None:
    recipe = preset_settings("depo", "recipe", OFF_POLICY, task)
    assert recipe == preset_settings("depo", "fast", OFF_POLICY, "Mine-v0")
    assert recipe != preset_settings("depo", "v0.1", OFF_POLICY, "Mine-v0")


@pytest.mark.parametrize(
    "method",
    ["gaifo", "gaifo-dp", "bco", "depo-supervised", "bc", "gail", "airl", "opolo", "iddm"],
)
def test_baselines_have_the_same_recipe(method: str) -> None:
    own, other, elsewhere = (
        flat_values(preset_settings(name, "recipe", OFF_POLICY, task))
        for name, task in (("depo", TASKS[0]), (method, TASKS[0]), (method, TASKS[1]))
    )
    assert other == elsewhere
    shared = ["quiet", "hidden", "demo_episodes", "minibatch"]
    if method.startswith("gaifo"):
        shared += ["termination", "reward_centre", "reward_spread", "pair_input"]
    assert [other[name] for name in shared] == [own[name] for name in shared]
