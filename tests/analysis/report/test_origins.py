from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path

import pytest

from depo.analysis.report.origins import command_of, settings_with_origins
from depo.api import make_job
from depo.cli.training_form import parse_job
from depo.runs.job import IN_MEMORY, Job

JOBS = {
    "grid": {
        "steps": 640,
        "env_args": {"size": 3, "walls": ("1,1",), "k": 2},
        "seeds": 3,
        "seed": 7,
    },
    "flags": {"env": "hopper", "preset": "recipe", "overrides": {"hidden": 64, "gamma": 0.9}},
    "switches": {
        "env": "hopper",
        "demos": "some file.npz",
        "overrides": {"skill_memory": True, "sample_plans": False},
    },
    "dynamics": {"env": "half-cheetah", "dynamics": "mixed,gravity=0.8"},
    "arguments": {"env": "Walker2d-v5", "env_args": {"frame_skip": 2}},
}


@pytest.mark.parametrize("name", JOBS)
def test_the_command_of_a_job_asks_for_the_same_job(name: str) -> None:
    job = make_job("depo", **JOBS[name])
    program, command, method, *flags = shlex.split(command_of(job, Path("run")))
    assert (program, command, method) == ("depo", "train", "depo")
    assert parse_job(method, flags, "depo", "").job == job


def test_the_command_of_cotraining_names_its_variants() -> None:
    job = make_job("depo", env="hopper", variants=("as-is", "inverted"), schedule="joint")
    program, command, method, *flags = shlex.split(command_of(job, Path("run")))
    assert (program, command, method) == ("depo", "cotrain", "depo")
    assert parse_job(method, flags, "depo", "", cotrains=True).job == job


def test_recordings_in_memory_are_found_in_the_run() -> None:
    job = dataclasses.replace(make_job("depo"), demos=IN_MEMORY)
    assert "--demos 'my run/demos.npz'" in command_of(job, Path("my run"))


def test_seeds_with_gaps_have_no_command() -> None:
    assert command_of(dataclasses.replace(Job(), seeds=(0, 2)), Path("run")) == ""


def test_every_setting_says_where_it_comes_from() -> None:
    job = make_job("depo", env="hopper", preset="recipe", overrides={"skill_rate": 0.123})
    found = {one.name: one for one in settings_with_origins(job)}
    assert found["skill_rate"].origin == "flag"
    assert found["hidden"].value == 0
    assert found["hidden"].origin == "derived"  # from the dimension of states
    assert found["gamma"].origin == "default"
    assert {"preset", "default", "derived", "flag"} == {one.origin for one in found.values()}
    assert found["gamma"].doc
