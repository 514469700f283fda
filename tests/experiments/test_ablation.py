"""Ablations and learning from reward: plans that say what changed, figures of what was run."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from depo.api import make_job
from depo.data import Demonstrations
from depo.experiments.ablation import EVERY, FAMILIES, TITLES
from depo.experiments.experiment import SCALES
from depo.experiments.registry import EXPERIMENTS
from depo.experiments.sweep import Sweep
from depo.methods.settings_tree import flat_values
from depo.runs.run import Run
from tests.support.command import call


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """Something for Hopper to imitate."""
    states = np.random.default_rng(0).normal(size=(5, 30, 11)) * 0.1
    Demonstrations.from_episodes(list(states)).save(tmp_path / "demos" / "hopper.npz")
    return tmp_path / "demos"


def fake_runs(folder: Path, *labels: str) -> dict[str, Run]:
    runs = {}
    for i, label in enumerate(labels):
        (folder / label).mkdir()
        runs[label] = Run(folder / label, make_job("depo"))
        rows = [{"seed": 0, "env_steps": t, "return": i, "reach_error": 0.1} for t in (1, 2)]
        for row in rows:
            runs[label].log([row])
    return runs


def test_every_change_changes_what_its_name_says(recordings: Path) -> None:
    scale = dataclasses.replace(SCALES["bench"], demos_dir=str(recordings))
    plan = EXPERIMENTS["ablation"].plan(scale)
    assert set(plan) == {"hopper-depo", *(f"hopper-{change}" for change in EVERY)}
    plain = flat_values(plan["hopper-depo"].job.settings)
    for family in FAMILIES.values():
        for change, wanted in family.items():
            own = flat_values(plan[f"hopper-{change}"].job.settings)
            different = {name: own[name] for name in own if own[name] != plain[name]}
            assert different.items() <= wanted.items(), change
            assert different, f"{change} is the preset's own setting: nothing is taken away"
    assert {job.job.steps for job in plan.values()} == {60_000}
    assert set(TITLES) == set(FAMILIES)


def test_a_figure_for_each_family_that_was_run(tmp_path: Path) -> None:
    draw = EXPERIMENTS["ablation"].draw
    scale = SCALES["bench"]
    names = ("hopper-depo", "hopper-noise-1", "half-cheetah-depo", "half-cheetah-both-1")
    runs = fake_runs(tmp_path, *names)
    drawn = draw(runs, scale)
    assert set(drawn) == {"noise", "weights"}
    assert len(drawn["noise"].axes) == 2  # Hopper only: HalfCheetah has no change of noise
    lines = [line.get_label() for line in drawn["noise"].axes[0].get_lines()]
    assert [x for x in lines if not x.startswith("_")] == ["as it is", "noise-1", "expert"]
    assert set(draw({"hopper-depo": runs["hopper-depo"]}, scale)) == {"weights"}


@pytest.mark.parametrize("count", [1, 5, 6])
def test_changes_too_many_for_one_panel_have_one_each(tmp_path: Path, count: int) -> None:
    changes = list(FAMILIES["parts"])[:count]
    runs = fake_runs(tmp_path, "hopper-depo", *(f"hopper-{change}" for change in changes))
    axes = EXPERIMENTS["ablation"].draw(runs, SCALES["bench"])["parts"].axes
    shown = {}
    for panel in axes:
        names = [line.get_label() for line in panel.get_lines()]
        curves = [name for name in names if not name.startswith("_") and name != "expert"]
        shown[panel.get_title()] = curves
    assert len(axes) == 2 * count  # returns and reach errors; places left over are empty
    assert shown.pop("") == ["as it is", changes[-1]]
    assert shown == {f"hopper: {change}": ["as it is", change] for change in changes}


def test_reward_and_transfer_are_drawn_side_by_side(tmp_path: Path) -> None:
    plan = EXPERIMENTS["fig-rl"].plan(SCALES["bench"])
    assert plan["hopper-transfer-inverted"].after == "hopper-depo-rl"
    assert len(plan["hopper-depo-rl"].job.seeds) == 3
    assert len(plan["walker2d-sac"].job.seeds) == 1
    assert plan["hopper-depo-rl"].job.demos == ""
    runs = fake_runs(tmp_path, "hopper-depo-rl", "hopper-sac", "hopper-transfer-inverted")
    titles = [axes.get_title() for axes in EXPERIMENTS["fig-rl"].draw(runs, SCALES["bench"]).axes]
    assert [title for title in titles if title] == ["hopper", "hopper, actions inverted"]


@pytest.mark.slow
def test_only_what_is_named_is_run_drawn_and_judged(
    recordings: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    asked = []
    monkeypatch.setattr(Sweep, "execute", lambda sweep, **_: asked.extend(sweep.plan))
    monkeypatch.setattr(Sweep, "runs", lambda sweep: fake_runs(tmp_path, *sweep.plan))
    words = ["reproduce", "ablation", "--scale", "smoke", "--only", "hopper-noise-1"]
    out = tmp_path / "results" / "ablation"
    assert call(*words, "--demos-dir", recordings, "--out", out, "--json") == 0
    assert asked == ["hopper-noise-1"]
    answer = json.loads(capsys.readouterr().out)
    assert [Path(path).name for path in answer["figures"]] == ["ablation-noise.png"]
    assert {claim["holds"] for claim in answer["claims"]} == {None}  # the others were not run
    assert (out / "results.csv").read_text().count("reach_error,") == 2
