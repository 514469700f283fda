"""A job as a run's folder describes it: read back as it was, refused with a sentence, migrated."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import depo
from depo.api import make_job
from depo.core.errors import DepoError
from depo.experiments.derived import settings_digest
from depo.experiments.experiment import SCALES
from depo.experiments.registry import EXPERIMENTS
from depo.runs.job import MAX_SEEDS, Job
from depo.runs.run import Run
from depo.runs.settings_file import FORMAT
from tests.support.arguments import flat
from tests.support.mutations import mutations
from tests.support.recorded_actions import of_every_task

RESULTS = Path(__file__).parents[2] / "docs" / "results"
EVERY: dict[str, Job] = {
    "grid": make_job("depo", seeds=3),
    "finite": make_job("bco", env="CliffWalking-v1", demos="a.npz"),
    "vectors": make_job("depo", env="hopper", dynamics="mixed,gravity=0.8"),
    "driving": make_job("gaifo", env="driving", demos="a.npz"),
    "variants": dataclasses.replace(make_job("depo"), variants=("1", "2"), schedule="joint"),
}
names = st.text().filter(lambda text: ":" not in text)  # a formula needs other settings
changes = st.fixed_dictionaries(
    {},
    optional={
        "steps": st.integers(10_000, 2**22),
        "seeds": st.sets(st.integers(0, 2**31 - 1), min_size=1, max_size=5).map(tuple),
        "preset": st.text(),
        "demos": st.text(),
        "skill": names,
        "planner": st.text(),
    },
)


def written(job: Job) -> Any:
    """As it stands in the file."""
    return json.loads(json.dumps(job.to_json()))


@given(st.sampled_from(sorted(EVERY)), changes)
def test_a_job_is_read_back_as_it_was_written(name: str, other: dict) -> None:
    job = dataclasses.replace(EVERY[name], **other)
    again = Job.from_json(written(job))
    assert again == job
    assert written(again) == written(job)


@pytest.mark.parametrize("name", EVERY)
def test_every_single_damage_is_a_job_or_a_sentence(name: str) -> None:
    refused = 0
    for damage, data in mutations(written(EVERY[name])):
        try:
            job = Job.from_json(data, "settings.json: job")
        except DepoError as error:
            said = str(error)
            assert said.startswith("settings.json: job"), damage
            assert "\n" not in said, damage
            refused += 1
        else:
            is_default = "missing" in damage or damage == "environment.settings = {}"
            assert job != EVERY[name] or is_default, damage
            assert "nan" not in damage, damage
            assert "inf" not in damage, damage
            assert "added" not in damage, damage
    assert refused > 200


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "dep"}, "settings.json: job: unknown method 'dep': did you mean 'depo'"),
        ({"method": 3}, "settings.json: job: method 3 is not a text"),
        ({"learner": "of-policy"}, "unknown learner 'of-policy': did you mean 'off-policy'"),
        ({"seeds": [0, "a"]}, "settings.json: job: seeds[1] 'a' is not a whole number"),
        ({"seeds": 3}, "job: seeds 3 is not a list, each a whole number"),
        ({"seeds": list(range(MAX_SEEDS + 1))}, "1001 seeds are more than the 1000"),
        ({"steps": 1.5}, "job: steps 1.5 is not a whole number"),
        ({"steps": True}, "job: steps True is not a whole number"),
        ({"skil": ""}, "job: unknown field 'skil': did you mean 'skill'"),
        ({"environment": None}, "job: environment None is not a table of names and values"),
        ({"environment": {}}, "job: environment: 'family' is missing"),
        (
            {"environment": {"family": "gird", "settings": {}}},
            "job: environment: unknown environment family 'gird': did you mean 'grid'",
        ),
        (
            {"environment": {"family": "grid", "settings": {"size": "6"}}},
            "job: environment: grid: size '6' is not a whole number",
        ),
        (
            {"environment": {"family": "gymnasium", "settings": {"id": 1.5}}},
            "job: environment: gymnasium: id 1.5 is not a text",
        ),
    ],
)
def test_the_sentence_names_field_value_and_remedy(changes: dict, message: str) -> None:
    with pytest.raises(DepoError) as error:
        Job.from_json(written(EVERY["grid"]) | changes, "settings.json: job")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("hidden", 1.5, "hidden 1.5 is not a whole number"),
        ("gamma", None, "gamma None is not a finite number"),
        ("gradient", "straight", "'straight': did you mean 'straight-through'"),
        ("hiden", 8, "'hiden': did you mean 'hidden'"),
    ],
)
def test_a_setting_of_another_kind_is_refused(setting: str, value: object, message: str) -> None:
    data = written(EVERY["grid"])
    data["settings"][setting] = value
    with pytest.raises(DepoError, match=message):
        Job.from_json(data)


def write(folder: Path, stored: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(stored))
    return folder


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({}, "says format None, a run has a whole number from 1 to 4"),
        ({"format": 4}, "settings.json: 'job' is missing"),
        ({"format": 4, "job": []}, r"settings.json: job \[\] is not a table"),
        ({"format": 1, "job": []}, "is not as format 1 of a run is: damaged"),
        ({"format": 2, "job": {}}, "is not as format 2 of a run is: damaged"),
        ({"format": 1, "job": {"environment": 3}}, "is not as format 1 of a run is: damaged"),
        ({"format": 5}, "was written by a newer depo: format 5, this one reads up to 4"),
        ({"format": 4, "job": {}, "made_with": []}, r"made_with \[\] is not a table"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, stored: object, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        Run.open(write(tmp_path, stored))


def in_format_1(job: Job) -> dict[str, Any]:
    """As version 0.1 wrote it."""
    from depo.experiments.derived import description

    return {"format": 1, "job": description(job), "made_with": {"jax": "0.6.0", "threads": 2}}


@pytest.mark.parametrize("name", EVERY)
def test_a_run_of_the_first_format_is_the_same_job(tmp_path: Path, name: str) -> None:
    job, stored = EVERY[name], json.loads(json.dumps(in_format_1(EVERY[name])))
    assert ("types" in stored["job"]) == bool(job.variants)
    assert "family" not in stored["job"]["environment"]
    run = Run.open(write(tmp_path, stored))
    assert run.job == job
    assert any(said.startswith("jax 0.6.0 →") for said in run.differences())
    for damage, data in itertools.islice(mutations(stored), None, None, 7):
        try:
            Run.open(write(tmp_path, data))
        except DepoError as error:
            assert "\n" not in str(error), damage  # noqa: PT017


def test_formulas_of_driving_are_found_where_they_are_now() -> None:
    stored = in_format_1(EVERY["driving"])
    stored["job"]["skill"] = "depo.environments.driving.skill:truck"
    assert FORMAT.migrated(stored, "settings.json")["job"]["skill"] == "depo.driving.skill:truck"


def test_results_that_were_published_are_still_of_these_settings(tmp_path: Path) -> None:
    known = 0
    with_own = dataclasses.replace(SCALES["bench"], demos_dir=str(of_every_task(tmp_path)))
    for path in sorted(RESULTS.glob("*/verdict.json")):
        digests = json.loads(path.read_text()).get("settings_digest", {})
        plan = EXPERIMENTS[path.parent.name].plan(with_own) if digests else {}
        for label, digest in digests.items():
            job = plan[label].job
            assert settings_digest(job) == digest, f"{path}: {label}"
            assert settings_digest(Job.from_json(written(job))) == digest, f"{path}: {label}"
            known += 1
    assert known > 20


def test_a_job_survives_json() -> None:
    job = make_job(
        "depo",
        seeds=3,
        env_args={"k": 4, "walls": ("1,1",), "via": ("0,2",)},
        overrides={"gradient": "score-function"},
    )
    assert Job.from_json(json.loads(json.dumps(job.to_json()))) == job
    other = make_job("bco", env="CliffWalking-v1", demos="x.npz", env_args={"is_slippery": True})
    assert Job.from_json(json.loads(json.dumps(other.to_json()))) == other


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": 0}, "steps 0"),
        ({"seeds": 0}, "seeds 0"),
        ({"seed": -1}, "none negative"),
        ({"copies": 7}, "not a multiple of copies 7"),
        ({"gamma": 1.0}, "gamma 1.0"),
        ({"epsilon": 2.0}, "epsilon 2.0"),
        ({"calibraton": 1.0}, "did you mean 'calibration'"),
        ({"preset": "quick"}, "unknown preset"),
        ({"env": "FrozenLake-v1"}, "pass --demos"),
    ],
)
def test_a_wrong_job_is_refused(arguments: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match=message):
        depo.train("depo", out=tmp_path / "run", **flat(**arguments))
    assert not (tmp_path / "run").exists()


def test_a_narrow_planner_is_a_job_and_an_impossible_one_is_not() -> None:
    narrow = make_job("depo", env="hopper", overrides={"log_std_ceiling": -2.5})
    assert narrow.settings.planner.log_std_ceiling == -2.5
    with pytest.raises(depo.DepoError, match="nothing lies between"):
        make_job("depo", env="hopper", overrides={"log_std_ceiling": -6.0})
    with pytest.raises(depo.DepoError, match="gradient_penalty -1"):
        make_job("depo", env="hopper", overrides={"gradient_penalty": -1.0})


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("sac", {"termination": "absorbing"}, "sac has the environment's: zero or ignored"),
        ("depo-rl", {"termination": "relative"}, "depo-rl has the environment's"),
        ("bco", {"clone_samples": True, "skill_schedule": "refit"}, "leave out one of"),
        ("depo", {"steps": 1_000}, "1,000 steps end before the 5,000 random ones"),
        ("depo", {"env": "driving", "dynamics": "inverted"}, "driving takes another vehicle"),
    ],
)
def test_settings_that_would_be_ignored_are_refused(
    method: str, arguments: dict, message: str
) -> None:
    with pytest.raises(depo.DepoError, match=message):
        make_job(method, **flat(**{"env": "hopper", **arguments}))


def test_an_explicit_setting_beats_the_preset() -> None:
    job = make_job("depo", preset="paper", overrides={"calibration": 0.7})
    assert job.settings.calibration.weight == 0.7
    assert job.settings.gradient == "straight-through"
