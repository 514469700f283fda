from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.core.errors import DepoError
from depo.runs.run import Run


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"method": 3}, "arguments: method 3 is not a text"),
        ({"steps": "x"}, "arguments: steps 'x' is not a whole number"),
        ({"steps": 1.5}, "arguments: steps 1.5 is not a whole number"),
        ({"seeds": "x"}, "arguments: seeds 'x' is not a whole number"),
        ({"seed": None}, "arguments: seed None is not a whole number"),
        ({"preset": 3}, "arguments: preset 3 is not a text"),
        ({"dynamics": 3}, "arguments: dynamics 3 is not a text"),
        ({"env_args": 3}, "arguments: env_args 3 is not a table"),
        ({"env": 3}, "env is 3: give an id"),
        ({"demos": 3}, "demos is a int: give a file"),
        ({"planner": 3}, "planner is a int: give a path"),
        ({"variants": 3}, "variants is 3: give a list"),
        ({"variants": "124"}, "variants is '124': give a list"),
        ({"overrides": [1]}, "overrides is a list: give a mapping"),
        ({"overrides": {"skill_rat": 1}}, "did you mean 'skill_rate'"),
    ],
)
def test_arguments_of_a_wrong_type_are_refused_in_a_sentence(
    arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(DepoError, match=re.escape(sentence)):
        make_job(**arguments)


@pytest.mark.wrong_types
def test_numpy_numbers_are_numbers() -> None:
    assert make_job(steps=np.int64(256), seeds=np.int32(2)).steps == 256


@pytest.mark.wrong_types
@pytest.mark.parametrize("call", [depo.resume, depo.evaluate, depo.load_policy, depo.Run.open])
def test_what_is_no_path_is_refused_in_a_sentence(call: Callable[[Any], Any]) -> None:
    with pytest.raises(DepoError, match="is a int: give a path"):
        call(3)


def test_a_planner_may_be_given_as_its_run(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", make_job("depo", env_args={"k": 2}))
    assert make_job("transfer", planner=run, env="gridworld").planner == str(run.path)


@pytest.mark.parametrize("call", [depo.train, depo.cotrain, depo.transfer, depo.resume])
def test_compiled_programs_are_kept_as_by_the_command_line(
    call: Callable[..., Any], tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def prepared() -> None:
        raise DepoError("kept")

    monkeypatch.setattr("depo.api.prepare_jax", prepared)
    arguments = {"cotrain": {"variants": ("1", "2")}, "transfer": {"planner": "none"}}
    arguments["resume"] = {"run": "none"}
    with pytest.raises(DepoError, match="kept"):
        call(**arguments.get(call.__name__, {}))
