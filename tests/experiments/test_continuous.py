from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.data import Demonstrations
from depo.experiments.continuous import EXPERIMENTS, asked, find_demos
from depo.experiments.experiment import SCALES
from depo.experiments.reference import read_reference
from tests.support.command import call


def write(folder: Path, *names: str) -> None:
    for name in names:
        Demonstrations.from_episodes([np.zeros((3, 2))]).save(folder / f"{name}.npz")


def test_demonstrations_are_found_by_the_task(tmp_path: Path) -> None:
    write(tmp_path, "half_cheetah_a", "half_cheetah_b", "hopper_td3", "walker2d", "walker2d_old")
    assert find_demos(str(tmp_path), "hopper").endswith("hopper_td3.npz")
    assert find_demos(str(tmp_path), "walker2d").endswith("walker2d.npz")
    assert find_demos(str(tmp_path), "ant") == ""
    with pytest.raises(DepoError, match=r"several files for half-cheetah .*name one"):
        find_demos(str(tmp_path), "half-cheetah")
    scale = replace(SCALES["laptop"], demos_dir=str(tmp_path))
    write(tmp_path, "hopper_other")
    with pytest.raises(DepoError, match="several files for hopper"):
        EXPERIMENTS["fig3"].plan(scale)
    # nobody looks for what is not asked for
    assert asked(replace(scale, only=("hopper-depo",)), ["ant", "hopper"]) == ["hopper"]
    assert asked(replace(scale, only=("hoper-depo",)), ["ant", "hopper"]) == ["ant", "hopper"]
    (tmp_path / "inverted_pendulum_a.npz").write_bytes(b"")
    EXPERIMENTS["fig3"].plan(replace(scale, only=("inverted-pendulum-depo",)))


def test_the_recipe_is_run_on_every_task_as_its_own_preset(tmp_path: Path) -> None:
    write(tmp_path, "hopper", "ant")
    scale = replace(SCALES["bench"], demos_dir=str(tmp_path))
    plan = EXPERIMENTS["recipe"].plan(scale)
    assert {"hopper-depo", "hopper-gaifo", "hopper-bco", "ant-depo", "ant-gaifo"} <= set(plan)
    assert {planned.job.preset for planned in plan.values()} == {"recipe"}
    assert plan["hopper-depo"].job.steps == 60_000
    assert EXPERIMENTS["recipe"].plan(replace(scale, name="paper")) == plan


def test_a_folder_without_recordings_is_told(tmp_path: Path, capsys) -> None:
    def ask(folder: Path) -> str:
        out = ["--out", str(tmp_path / "out")]
        assert call("reproduce", "fig3", "--scale", "smoke", "--demos-dir", str(folder), *out) == 2
        return capsys.readouterr().err

    assert "none is not a folder: --demos-dir takes" in ask(tmp_path / "none")
    assert "no recording for any task of fig3: name files by their task" in ask(tmp_path)
    assert not (tmp_path / "out").exists()


def test_other_peoples_curves_are_averaged_over_seeds(tmp_path: Path) -> None:
    file = tmp_path / "curves.csv"
    file.write_text(
        "method,environment,seed,env_steps,return\n"
        "gaifo,hopper,0,1000,10\ngaifo,hopper,1,1000,30\ngaifo,hopper,0,2000,50\n"
    )
    steps, values = read_reference(str(file))["hopper"]["gaifo"]
    assert steps.tolist() == [1000, 2000]
    assert values.tolist() == [20.0, 50.0]
    assert read_reference(str(file), "reach_error") == {}
    authors = ["algorithm,env,variant_dir,seed,env_steps,eval_return,pred_real_mse"]
    run = "sl-lfo-hopper-norm-exps--state-diff--biginvbuffer--splr-0.001--idlr-0.0001"
    authors += [f"DePO-Supervised,hopper,{run},{seed},1000,7,{11 * seed}" for seed in (1, 3)]
    authors += ["BCO,hopper,bco-hopper-norm,0,1000,5,"]
    file.write_text("\n".join(authors) + "\n")
    curves = read_reference(str(file), "reach_error")["hopper"]
    assert set(curves) == {"depo-supervised"}
    assert curves["depo-supervised"][1].tolist() == [2.0]  # a mean over Hopper's 11 features
    assert set(read_reference(str(file))["hopper"]) == {"depo-supervised", "bco"}
    file.write_text("a,b\n1,2\n")
    with pytest.raises(DepoError, match="expected method, environment"):
        read_reference(str(file))
    with pytest.raises(DepoError, match="does not exist"):
        read_reference(str(tmp_path / "none.csv"))
