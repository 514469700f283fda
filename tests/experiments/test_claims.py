"""Claims: what an experiment must show, compared with what it did show."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

import pytest

from depo.api import make_job
from depo.core.errors import DepoError
from depo.environments.mujoco import TASKS
from depo.experiments.claims import (
    CLAIMS,
    EXPECTED,
    Claim,
    TooShortError,
    described,
    final_values,
    judge,
    read_claims,
)
from depo.experiments.experiment import (
    SCALES,
    markdown_table,
)
from depo.experiments.registry import EXPERIMENTS
from depo.runs.run import Run
from tests.support.recorded_actions import with_actions


def fake_run(folder: Path, label: str, success: list[list[float]]) -> Run:
    """A run with these success rates: a list of seeds for each evaluation."""
    path = folder / label
    path.mkdir()
    run = Run(path, make_job("depo", seeds=len(success[0])))
    for i, seeds in enumerate(success):
        rows = [{"seed": s, "env_steps": 128 * (i + 1), "success": x} for s, x in enumerate(seeds)]
        run.log(rows)
    return run


def test_claims_compare_with_numbers_and_with_each_other(tmp_path: Path) -> None:
    runs = {
        "fast": fake_run(tmp_path, "fast", [[0.1] * 5, [0.95] * 5]),
        "slow": fake_run(tmp_path, "slow", [[0.1] * 5] * 4 + [[0.95] * 4 + [0.2]]),
    }

    def holds(measure: str, expected: str) -> dict:
        return judge(Claim("c", measure, expected), runs)

    assert holds("fast/steps_to_90/max", "<= 256")["holds"]
    assert not holds("fast/steps_to_90/max", "< 256")["holds"]
    assert holds("fast/steps_to_90/median", "<= 0.5 * slow/steps_to_90/median")["holds"]
    never = holds("slow/steps_to_90/max", "< 1e9")
    assert not never["holds"]
    assert never["measured"] == "never"
    assert set(never) == {"claim", "expected", "measured", "interval", "holds"}
    assert never["interval"] is None
    assert not holds("slow/steps_to_90/max", "<= slow/steps_to_90/max")["holds"]
    sooner = holds("fast/steps_to_90/max", "<= slow/steps_to_90/max")
    assert sooner["holds"]
    assert sooner["expected"].endswith("(= never)")
    assert holds("none/success/mean", "> 0")["holds"] is None  # left out: not judged
    assert holds("fast/success/mean", "> none/success/mean")["measured"] == "not run"
    short = holds("fast/success/mean", "> 0.5 * fast/success@10000/mean")
    assert (short["measured"], short["holds"]) == ("run too short", None)
    later = holds("fast/success@256/mean", ">= fast/success/mean")
    assert later["holds"], later
    with pytest.raises(DepoError, match="not readable"):
        holds("fast/success/mean", "about 1")
    assert "never" in markdown_table(runs, ("steps_to_90",))


def test_a_claim_about_a_metric_nobody_knows_is_refused_with_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    good = {"measure": "a/success@best_return/mean", "expected": "> b/steps_to_90_of_a/max"}
    for bad in ({"measure": "a/sucess/mean"}, {"expected": "< 2 * b/reach_eror@100/mean"}):
        claim = {"claim": "it works"} | good | bad
        file.write_text("[[own]]\n" + "".join(f'{k} = "{v}"\n' for k, v in claim.items()))
        with pytest.raises(DepoError, match=r"'it works' .*mean '(success|reach_error)'"):
            read_claims("own", file)
    file.write_text("[[own]]\nclaim = 'c'\n" + "".join(f'{k} = "{v}"\n' for k, v in good.items()))
    assert len(read_claims("own", file)) == 1
    for name in EXPERIMENTS:
        read_claims(name)


def test_best_is_least_where_lower_is_better(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", make_job("depo"))
    run.path.mkdir()
    for steps, error, value in [(1, 0.3, 10.0), (2, 0.1, 20.0), (3, 0.2, 30.0)]:
        run.log([{"seed": 0, "env_steps": steps, "reach_error": error, "return": value}])
    assert final_values(run, "return@best_reach_error").tolist() == [20.0]


def test_the_worst_from_some_steps_on(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", make_job("depo"))
    run.path.mkdir()
    for steps, error, value in [(1, 0.9, 1.0), (2, 0.1, 30.0), (3, 0.2, 20.0), (4, 0.1, 25.0)]:
        run.log([{"seed": 0, "env_steps": steps, "reach_error": error, "return": value}])
    assert final_values(run, "return@from_2").tolist() == [20.0]
    assert final_values(run, "reach_error@from_2").tolist() == [0.2]
    with pytest.raises(TooShortError, match="no evaluation from 5 steps on"):
        final_values(run, "return@from_5")
    assert described("return@from_40000").label == "return, worst from 40,000 steps on"


@pytest.mark.parametrize(("relative", "holds"), [(0.85, True), (0.5, False)])
def test_a_small_reach_error_counts_for_a_policy_only(
    tmp_path: Path, relative: float, holds: bool
) -> None:
    runs = {}
    for label, share, error in [("still", relative, 0.01), ("moving", 1.0, 0.1)]:
        runs[label] = Run(tmp_path / label, make_job("depo"))
        runs[label].path.mkdir()
        row = {"seed": 0, "env_steps": 128, "return_relative": share, "reach_error": error}
        runs[label].log([row])
    for measure, expected in [
        ("still/reach_error/mean", "< moving/reach_error/mean"),
        ("moving/reach_error/mean", "> 2 * still/reach_error/mean"),
        ("still/reach_error/mean", "<= 0.05"),
    ]:
        entry = judge(Claim("c", measure, expected), runs)
        assert entry["holds"] == holds
        assert ("must have 80% of the expert's return, not 50%" in entry["expected"]) != holds
    back = Claim("c", "still/reach_error/mean", "> 0.001")
    assert judge(back, runs)["holds"]


def test_every_claim_is_readable_and_names_runs_of_its_experiment(tmp_path: Path) -> None:
    for task in TASKS:  # a task whose demonstrations are missing is left out of the plan
        with_actions(tmp_path / f"{task}.npz")
    scale = dataclasses.replace(SCALES["bench"], demos_dir=str(tmp_path))
    claims = tomllib.loads(CLAIMS.read_text())
    assert set(claims) <= set(EXPERIMENTS)
    for name, entries in claims.items():
        own = EXPERIMENTS[name]
        labels = {*own.plan(scale), *own.groups, *own.scored}
        for entry in entries:
            match = EXPECTED.fullmatch(entry["expected"])
            assert match, entry
            assert entry["measure"].split("/")[0] in labels
            if "/" in match[3]:
                assert match[3].split("/")[0] in labels
