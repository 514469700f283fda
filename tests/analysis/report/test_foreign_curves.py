from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from depo.analysis.report.foreign_curves import POINTS, read_curve_file, read_curves
from depo.core.errors import DepoError

MONITOR = '#{"t_start": 1700000000.0, "env_id": "Hopper-v5"}\nr,l,t\n10.0,100,1.5\n30.0,50,2.5\n'
TENSORBOARD = "Wall time,Step,Value\n1700000000.1,1000,5.5\n1700000009.2,2000,7.5\n"


def test_a_monitor_counts_the_steps_of_its_episodes(tmp_path: Path) -> None:
    (tmp_path / "monitor.csv").write_text(MONITOR)
    kind, ((steps, values),) = read_curve_file(tmp_path / "monitor.csv")
    assert "Stable-Baselines3" in kind
    assert steps.tolist() == [100, 150]
    assert values.tolist() == [10.0, 30.0]


def test_a_tensorboard_export(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(TENSORBOARD)
    kind, ((steps, values),) = read_curve_file(tmp_path / "run.csv")
    assert "TensorBoard" in kind
    assert steps.tolist() == [1000, 2000]
    assert values.tolist() == [5.5, 7.5]


def test_a_plain_table_with_seeds_and_gaps(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "seed,Env_Steps,loss,return\n0,10,x,1\n0,20,x,3\n1,10,x,\n1,20,x,nan\n1,30,x,5\n0,30,x,5\n"
    )
    ((_, zero), (_, one)) = read_curve_file(tmp_path / "a.csv")[1]
    assert zero.tolist() == [1, 3, 5]
    assert one.tolist() == [5]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Global Step;Mean Return\n10;1,5\n20;-2,5\n", [[1.5, -2.5]]),
        ("\ufefftimesteps\tEpisode-Reward\n10\t1.5\n20\t-2.5\n", [[1.5, -2.5]]),
        (
            '"Step","a - charts/episodic_return","a - charts/episodic_return__MAX","b - return"\n'
            '"10","1","9",""\n"20","2","9","4"\n',
            [[1, 2], [4]],
        ),
    ],
)
def test_tables_of_spreadsheets_and_other_trackers(
    tmp_path: Path, text: str, values: list[list[float]]
) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    assert [own.tolist() for _, own in read_curve_file(tmp_path / "a.csv")[1]] == values


def test_files_of_one_label_are_seeds_of_one_curve(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,return\n0,0\n10,10\n20,20\n")
    (tmp_path / "b=1.csv").write_text("step,return\n0,10\n20,30\n")
    files = [f"SAC={tmp_path}/b=1.csv", f"SAC={tmp_path}/a.csv", f"{tmp_path}/b=1.csv"]
    one, other = read_curves(files)
    assert (one.label, other.label) == ("SAC", "b=1")
    assert one.values.shape == (2, 2)
    assert one.values.mean(axis=1).tolist() == [5.0, 25.0]


def test_a_long_curve_is_shown_by_means(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i % 2}\n" for i in range(10_000))
    (tmp_path / "long.csv").write_text(f"step,return\n{rows}")
    (curve,) = read_curves([str(tmp_path / "long.csv")])
    assert len(curve.steps) == POINTS
    assert np.allclose(curve.values, 0.5)
    assert curve.steps[-1] == 9_999


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has the columns -"),
        ("a,b\n1,2\n", "expected a Stable-Baselines3 monitor"),
        ("step,return\n", "no row of numbers"),
        ("step,return\n1,x\n", "row 2: 1, x are no numbers"),
        ("step,return\n-1,1\n", "steps are negative"),
    ],
)
def test_what_is_no_curve_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DepoError, match=said):
        read_curves([str(tmp_path / "a.csv")])


def test_curves_that_never_meet_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,return\n0,1\n10,1\n")
    (tmp_path / "b.csv").write_text("step,return\n20,1\n30,1\n")
    with pytest.raises(DepoError, match="no steps in common"):
        read_curves([f"x={tmp_path}/a.csv", f"x={tmp_path}/b.csv"])
