"""``depo settings``: every value, its origin, and the file that gives the same job again."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from depo.cli.settings import as_toml, parse_settings
from depo.cli.training_form import parse_job
from depo.methods.registry import methods
from tests.support.command import call

GIVEN = {
    "gridworld": ["--k", "2", "--walls", "1,1", "2,2:2,3", "--seeds", "3"],
    "hopper": ["--dynamics", "mixed, gravity=0.8", "--batch-steps", "500", "--preset", "paper"],
    "driving": ["--env-args", "vehicle=inverse", "--steps", "30000", "--seed", "7"],
}


def again(asked, folder: Path):
    file = folder / "mine.toml"
    file.write_text(text := as_toml(asked))
    job = asked.job
    cotrains = bool(job.variants)
    told = parse_job(
        job.method, ["--config", str(file)], "depo", "", planner=job.planner, cotrains=cotrains
    )
    assert as_toml(told) == text
    return told.job


CASES = [
    (method, env)
    for method, spec in methods().items()
    for env in GIVEN
    if ("on-policy" if env == "gridworld" else "off-policy") in spec.implementations
    and not spec.needs_controllers
]


@pytest.mark.parametrize(("method", "env"), CASES)
def test_a_file_gives_the_same_job_again(method: str, env: str, tmp_path: Path) -> None:
    for more in ([], GIVEN[env]):
        asked = parse_settings(method, ["--env", env, *more])
        assert again(asked, tmp_path) == asked.job


def test_variants_and_parts_that_are_switched_on_are_in_the_file(tmp_path: Path) -> None:
    asked = parse_settings("depo", ["--variants", "1,2", "--schedule", "joint"])
    assert again(asked, tmp_path) == asked.job
    assert as_toml(asked).startswith("# depo cotrain depo --config")
    fine = ["--env", "hopper", "--demos", "hopper", "--unfreeze-after", "9000", "--steps=20000"]
    asked = parse_settings("transfer", fine)
    assert again(asked, tmp_path) == asked.job
    assert "unfreeze_after = 9000" in as_toml(asked)


def test_why_names_every_layer(tmp_path: Path, capsys) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("noise = 0.5\nseeds = 2")
    words = ["settings", "depo", "--env", "hopper", "--config", str(file), "--hidden", "64"]
    assert call(*words, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    layers = {name: entry["from"] for name, entry in told["settings"].items()}
    assert (layers["noise"], layers["seeds"]) == ("config", "config")
    assert (layers["hidden"], layers["env"]) == ("flag", "flag")
    assert (layers["minibatch"], layers["gamma"]) == ("preset", "default")
    assert told["settings"]["epsilon_decay"]["no_effect"] == "epsilon is 0"
    assert call(*words, "--why") == 0
    lines = [line.split()[:3] for line in capsys.readouterr().out.splitlines()]
    assert ["hidden", "flag", "64"] in lines
    assert ["noise", "config", "0.5"] in lines
    assert ["preset", "default", "fast"] in lines


def test_layers_of_a_transfer(capsys) -> None:
    flags = ["--env", "hopper", "--dynamics", "mixed", "--json"]
    assert call("settings", "transfer", *flags) == 0
    told = json.loads(capsys.readouterr().out)["settings"]
    assert told["skill_fit"] == {
        "value": "effects",
        "heading": "skill",
        "from": "dynamics",
        "no_effect": None,
    }
    assert call("settings", "bco", "--env", "inverted-pendulum", "--json") == 0
    assert json.loads(capsys.readouterr().out)["settings"]["hidden"]["from"] == "task"


def test_help_and_plain_output(capsys) -> None:
    assert call("settings") == 0
    assert "depo-supervised" in capsys.readouterr().out
    assert call("settings", "depo") == 0
    shown = capsys.readouterr().out
    assert "depo on gridworld-6x6-k1, on-policy" in shown
    assert "default" not in shown.split("\n", 1)[0]
    assert call("settings", "depo", "--toml") == 0
    assert tomllib.loads(capsys.readouterr().out)["what"]["env"] == "gridworld"
