"""Every method in one table: who runs where, what is carried over, and what cells say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from depo.api import make_job, run_job
from depo.experiments.claims import read_claims
from depo.experiments.experiment import SCALES, Plan
from depo.experiments.sweep import Sweep
from depo.experiments.table1 import EXPERIMENTS, PLACES, why_not
from depo.experiments.table1_rows import compared, facts_of, results_table, steps_to_expert
from depo.methods.registry import find_method, methods
from depo.runs.run import Run
from tests.support.command import call
from tests.support.recorded_actions import with_actions

TABLE = EXPERIMENTS["table1"]


@pytest.fixture(scope="module")
def bench() -> Plan:
    """All that is published."""
    return TABLE.plan(SCALES["bench"])


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("depo", ("yes", True, True, "states", False)),
        ("gaifo", ("no", False, False, "states", False)),
        ("bco", ("yes", False, False, "states", False)),
        ("imo", ("no", True, False, "states", False)),
        ("sail", ("yes", True, False, "states", False)),
        ("gsp", ("yes", True, True, "states", False)),
        ("qss", ("yes", True, True, "reward", False)),
        ("pid-gail", ("by hand", True, True, "states", False)),
        ("airl", ("no", False, False, "states and actions", True)),
    ],
)
def test_the_papers_columns_are_read_off_the_methods(name: str, facts: tuple[object, ...]) -> None:
    assert facts_of(find_method(name)) == facts


def test_every_method_has_a_run_or_a_reason_on_every_task(bench: Plan) -> None:
    for place in PLACES.values():
        demos = place.demos(SCALES["bench"])
        for spec in compared(methods()):
            has_run = f"{place.name}-{spec.name}" in bench
            assert has_run == (why_not(spec, place, demos) == ""), (place.name, spec.name)
    assert "driving-pid-gail" in bench
    assert "no controllers" in why_not(find_method("pid-gail"), PLACES["hopper"], "hopper")
    assert "on-policy" in why_not(find_method("sac"), PLACES["grid"], "")


def test_everybody_has_the_same_steps_seeds_and_evaluations(bench: Plan) -> None:
    wanted = {"inverted-pendulum": 15_000, "hopper": 30_000, "half-cheetah": 50_000}
    for place in PLACES.values():
        own = [p.job for x, p in bench.items() if x.startswith(f"{place.name}-")]
        first = [job for job in own if job.environment == place.environment()]
        changed = [job for job in own if job not in first]
        for jobs in (first, changed):
            assert len({(job.total_steps, job.seeds, job.steps_per_block) for job in jobs}) == 1
        assert len(first[0].seeds) == 3
        assert first[0].steps == wanted.get(place.name, first[0].steps)


def test_who_needs_actions_runs_where_a_recording_has_them(bench: Plan, tmp_path: Path) -> None:
    with_actions(tmp_path / "demos" / "hopper.npz")
    plan = TABLE.plan(replace(SCALES["bench"], demos_dir=str(tmp_path / "demos")))
    assert "hopper-bc" not in bench
    assert {"hopper-bc", "hopper-gail", "hopper-airl"} <= set(plan)
    assert {name for name in PLACES if f"{name}-depo" in plan} == {"grid", "hopper", "driving"}
    reward = plan["hopper-airl-inverted"]
    assert reward.after == "hopper-airl"
    sweep = Sweep(tmp_path, {x: plan[x] for x in ("hopper-airl", "hopper-airl-inverted")})
    job = sweep.job("hopper-airl-inverted")
    assert (job.reward_from, job.planner) == (str(sweep.path("hopper-airl")), "")


def test_a_decision_is_carried_out_by_the_controllers_of_the_new_body(bench: Plan) -> None:
    assert bench["driving-pid-gail-truck"].job.skill.endswith(":pid_truck")
    assert bench["driving-depo-truck"].job.skill.endswith(":truck")


def test_steps_are_counted_to_a_share_of_the_recordings_return(tmp_path: Path) -> None:
    run = Run(tmp_path, make_job("sac", env="hopper", seeds=2))
    for steps, returns in [(10, (5.0, 7.0)), (20, (8.0, 7.9))]:
        run.log([{"seed": s, "env_steps": steps, "return": r} for s, r in enumerate(returns)])
    np.testing.assert_array_equal(steps_to_expert(run, 10.0), [20, np.inf])
    reasons = {"sac": "", "depo": "", "bc": "the recording has no actions"}
    text = results_table("hopper", "return", "inverted", {"sac": run}, {}, reasons)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    by_name = {row[0]: row[1:] for row in rows if row}
    assert by_name["sac"][:2] == ["8.000, 7.900", "never, never"]  # 80% of Hopper's own recording
    assert "nothing to carry over" in by_name["sac"][4]
    assert by_name["depo"] == ["not run", "–", "–", "–", "not run", "–"]
    assert by_name["bc"][0] == "– (the recording has no actions)"


def test_two_cells_are_run_and_the_others_say_so(tmp_path: Path, monkeypatch) -> None:
    def here(sweep: Sweep, **_: object) -> None:  # a process for each would import all of it anew
        for label in sweep.plan:
            run_job(sweep.job(label), sweep.path(label))

    monkeypatch.setattr(Sweep, "execute", here)
    words = ["--scale", "smoke", "--seeds", "1", "--workers", "1", "--out", tmp_path / "table1"]
    asked = ("grid-bco", "grid-gaifo-anew-k4")
    assert call("reproduce", "table1", *words, "--only", *asked) == 0
    text = (tmp_path / "table1" / "table.md").read_text()
    assert "| depo | yes | yes | yes | states |" in text
    assert "| depo | not run | – | – | – | not run | – |" in text
    assert "| sac | – (has no on-policy implementation) |" in text
    row = next(line for line in text.splitlines() if line.startswith("| gaifo-anew |"))
    assert row.endswith("| 640 |")
    assert (tmp_path / "table1" / "table1.png").exists()
    assert len(list((tmp_path / "runs").iterdir())) == len(asked)
    assert text.count("| not run | – | open |") == len(read_claims("table1"))
