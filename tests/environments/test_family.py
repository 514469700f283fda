"""Families: what depo knows of environments, and what another package can add."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import depo
from depo.analysis import imagine, reachability
from depo.analysis.imagination import Imaginer
from depo.api import make_job
from depo.cli.training_form import parse_job
from depo.core.errors import DepoError
from depo.driving.settings import DrivingSettings
from depo.environments import family as module
from depo.environments.by_name import named_environment, short_name
from depo.environments.family import EnvironmentSettings, families, family_of, register_family
from depo.environments.grid.gridworld import GridWorldSettings
from depo.environments.gymnasium_family import GymnasiumSettings
from depo.plotting import figures
from depo.runs.job import Job
from depo.runs.run import Run
from tests.support.corridor import CorridorFamily, CorridorSettings

TINY = {"hidden": 8, "batch_steps": 32, "evaluate_every": 1}


@pytest.fixture
def corridor(monkeypatch: pytest.MonkeyPatch) -> Iterator[CorridorFamily]:
    """A family from outside, for as long as a test lasts."""
    monkeypatch.setattr(module, "_families", dict(families()))
    family = CorridorFamily()
    register_family(family)
    return family


@pytest.mark.parametrize(
    ("env", "settings", "short"),
    [
        ("gridworld", GridWorldSettings(), "gridworld"),
        ("depo/GridWorld-v0", GridWorldSettings(), "gridworld"),
        ("driving", DrivingSettings(), "driving"),
        ("depo/Driving-v0", DrivingSettings(), "driving"),
        ("hopper", GymnasiumSettings("Hopper-v5"), "hopper"),
        ("Hopper-v5", GymnasiumSettings("Hopper-v5"), "hopper"),
        ("mine:Arm-v0", GymnasiumSettings("mine:Arm-v0"), "mine:Arm-v0"),
    ],
)
def test_a_word_of_the_command_line_means_an_environment(env: str, settings, short: str) -> None:
    found = named_environment(env)
    assert found.settings == settings
    assert short_name(found) == short
    assert EnvironmentSettings.from_json(found.to_json()) == found


def test_settings_of_another_family_get_a_sentence() -> None:
    with pytest.raises(DepoError, match="give a GridWorldSettings"):
        EnvironmentSettings("grid", DrivingSettings())
    with pytest.raises(DepoError, match=r"unknown environment family 'gird'.*'grid'"):
        EnvironmentSettings("gird")
    with pytest.raises(DepoError, match="unknown setting of driving 'vehicel'"):
        named_environment("driving", {"vehicel": "truck"})
    with pytest.raises(DepoError, match="takes another vehicle"):
        named_environment("driving", dynamics="inverted")


def test_names_are_taken_once(corridor: CorridorFamily) -> None:
    with pytest.raises(DepoError, match="family 'corridor' already"):
        register_family(corridor)

    class Other(CorridorFamily):
        name = "other"

    with pytest.raises(DepoError, match="--env corridor means the environment family 'corridor'"):
        register_family(Other())


def trained(out: Path) -> Run:
    """A short run in the corridor, the same for every test: it is compiled once."""
    length = {"length": 3}
    return depo.train("depo", env="corridor", env_args=length, steps=96, overrides=TINY, out=out)


def test_a_family_from_outside_is_trained_in_resumed_and_shown(
    corridor: CorridorFamily, tmp_path: Path
) -> None:
    job = parse_job("depo", ["--env", "corridor", "--env-args", "length=3"], "depo", "").job
    assert job.environment.settings == CorridorSettings(length=3)
    run = trained(tmp_path / "run")
    assert run.job == Job.from_json(run.job.to_json())
    assert run.job.environment.label == "corridor-v0"
    assert {"return", "episode_length"} <= set(run.final_scores()[0])
    assert depo.resume(run.path).is_finished()
    assert depo.evaluate(run.path, episodes=2)[0]["episodes"] == 2
    moved = make_job("transfer", planner=run.path / "planner" / "seed-0")
    assert moved.environment == run.job.environment


@pytest.mark.wrong_types  # a word stands for a whole report
def test_a_family_from_outside_has_pictures_and_reports_of_its_own(
    corridor: CorridorFamily, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, table in [(imagine, "_imaginers"), (reachability, "_exact"), (figures, "_maps")]:
        monkeypatch.setattr(place, table, dict(getattr(place, table)))
    run = trained(tmp_path / "run")
    for call in (depo.imagine, depo.reachability):
        with pytest.raises(DepoError, match="has finite states"):
            call(run.path)

    class Always(Imaginer):
        def __call__(self, source, demos, after, steps, starts):
            return source.environment.family

        def check(self, source) -> None:
            pass

    drawn = []
    imagine.register_imaginer("corridor", Always())
    reachability.register_exact("corridor", lambda policy, settings, demos, seed: settings)
    figures.register_map("corridor", lambda axes, run: drawn.append(run))
    assert depo.imagine(run.path) == "corridor"
    assert depo.reachability(run.path) == CorridorSettings(length=3)
    assert figures.draw_run(run).exists()
    assert drawn == [run]
    with pytest.raises(DepoError, match="the family 'grid' has its imaginer already"):
        imagine.register_imaginer("grid", Always())


@pytest.mark.slow
def test_variants_of_a_family_from_outside_share_a_planner(
    corridor: CorridorFamily, tmp_path: Path
) -> None:
    run = depo.cotrain(
        "depo",
        env="corridor",
        variants=("forward", "backward"),
        steps=128,
        overrides=TINY,
        out=tmp_path / "run",
    )
    assert {"return_forward", "return_backward"} <= set(run.final_scores()[0])


def test_other_packages_are_found_and_a_broken_one_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = EntryPoint("corridor", "tests.support.corridor:CorridorFamily", module.GROUP)
    bad = EntryPoint("gone", "nowhere:Family", module.GROUP)
    monkeypatch.setattr("depo.core.plugins.entry_points", lambda group: [bad, good])
    monkeypatch.setattr(module, "_families", dict(families()))
    monkeypatch.setattr(module, "_loaded", [])
    with pytest.warns(RuntimeWarning, match=r"'gone' .*nowhere:Family.* cannot be used"):
        found = families()
    assert found["corridor"].settings is CorridorSettings


def test_what_every_family_must_say_is_said() -> None:
    for name, family in families().items():
        environment = EnvironmentSettings(name)
        assert family_of(environment) is family
        assert dataclasses.is_dataclass(family.settings)
        assert environment.label
        assert environment.gymnasium().id == environment.id
