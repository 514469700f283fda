"""Exported folders act as the policy does, on every kind of policy, and without depo."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
import pytest

import depo
from depo.analysis.policies import play
from depo.environments.family import EnvironmentSettings
from depo.export.policy_export import export_policy
from depo.models.acting import Policy, Space
from depo.models.card import Origin
from depo.models.policy import DecoupledPolicy
from depo.runs.home import home_of_policy
from tests.support.policies import EVERY, by_jax, continuous, on_vectors, states_of

BLOCKED = "import sys\nfor name in ('depo', 'jax', 'equinox'): sys.modules[name] = None\n"


def exported(kind: str, form: str, folder: Path) -> tuple[Policy, Path]:
    policy = EVERY[kind]()
    depo.save_policy(folder / "policy", policy)
    return policy, export_policy(folder / "policy", form, folder / form)


def module_of(folder: Path) -> ModuleType:
    """``policy.py``, as its user imports it."""
    spec = importlib.util.spec_from_file_location("policy", folder / "policy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def apart(policy: Policy, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Plans of the compiled planner, and targets beside them for the skill alone."""
    plans = np.asarray(policy._plan(states))
    return plans, np.roll(plans, 1, axis=0)


@pytest.mark.parametrize("kind", EVERY)
def test_numpy_gives_the_same_actions(tmp_path: Path, kind: str) -> None:
    policy, folder = exported(kind, "numpy", tmp_path)
    states, module = states_of(policy), module_of(folder)
    np.testing.assert_allclose(module.load().act(states), by_jax(policy, states), atol=1e-5)
    assert not hasattr(module, "jax")
    if isinstance(policy.model, DecoupledPolicy):
        plans, targets = apart(policy, states)
        np.testing.assert_allclose(module.load_planner()(states), plans, atol=1e-5, rtol=1e-5)
        expected = module.load().act_towards(states, targets)
        np.testing.assert_array_equal(module.load_skill()(states, targets), expected)


@pytest.mark.parametrize("kind", EVERY)
def test_onnx_gives_the_same_actions_whole_and_apart(tmp_path: Path, kind: str) -> None:
    policy, folder = exported(kind, "onnx", tmp_path)
    states, expected = states_of(policy), by_jax(policy, states_of(policy))
    actions = run(folder / "policy.onnx", state=states)["action"]
    assert actions.dtype == expected.dtype
    assert actions.shape == expected.shape
    np.testing.assert_allclose(actions, expected, atol=1e-5)
    if not isinstance(policy.model, DecoupledPolicy):
        assert not (folder / "planner.onnx").exists()
        return
    plans, targets = apart(policy, states)
    found = run(folder / "planner.onnx", state=states)["next_state"]
    np.testing.assert_allclose(found, plans, atol=1e-5, rtol=1e-5)
    skilled = policy._own_units(
        policy.model.skill.mode(jnp.asarray(states), jnp.asarray(targets)), states, single=False
    )
    targets = targets.astype(np.int64) if policy.observations.count else targets
    found = run(folder / "skill.onnx", state=states, next_state=targets)["action"]
    np.testing.assert_allclose(found, skilled, atol=1e-5)


def run(file: Path, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


@pytest.mark.parametrize("kind", ["in-part", "choices", "finite"])
def test_jax_gives_the_same_actions_when_compiled(tmp_path: Path, kind: str) -> None:
    policy, folder = exported(kind, "jax", tmp_path)
    states = states_of(policy)
    actions = jax.jit(module_of(folder).load().act)(states)
    np.testing.assert_allclose(actions, by_jax(policy, states), atol=1e-5)


def test_numpy_needs_only_numpy(tmp_path: Path) -> None:
    policy, folder = exported("continuous", "numpy", tmp_path)
    states = states_of(policy, 100)
    np.save(tmp_path / "states.npy", states)
    script = f"{BLOCKED}sys.modules['gymnasium'] = None\nsys.path.insert(0, {str(folder)!r})\n"
    script += "import numpy, policy\n"
    script += f"states = numpy.load({str(tmp_path / 'states.npy')!r})\n"
    script += f"numpy.save({str(tmp_path / 'actions.npy')!r}, policy.load().act(states))\n"
    subprocess.run([sys.executable, "-I", "-c", script], check=True, timeout=60)
    actions = np.load(tmp_path / "actions.npy")
    np.testing.assert_allclose(actions, by_jax(policy, states), atol=1e-5)


@pytest.mark.parametrize("form", ["numpy", pytest.param("onnx", marks=pytest.mark.slow)])
def test_the_loop_runs_where_there_is_no_depo(tmp_path: Path, form: str) -> None:
    policy = pendulum()
    depo.save_policy(tmp_path / "policy", policy)
    folder = export_policy(tmp_path / "policy", form, tmp_path / form)
    script = f"{BLOCKED}import runpy\nsys.path.insert(0, {str(folder)!r})\nsys.argv[1:] = ['2']\n"
    script += f"runpy.run_path({str(folder / 'run.py')!r}, run_name='__main__')\n"
    own = [sys.executable, "-I", "-c", script]
    done = subprocess.run(own, check=True, timeout=120, capture_output=True, text=True)
    returns = play(policy, home(policy), (0, 1)).returns
    expected = [f"episode {i}: return {total:.2f}" for i, total in enumerate(returns)]
    assert done.stdout.splitlines() == expected
    loop = (folder / "run.py").read_text()
    assert "gym.make('InvertedPendulum-v5')" in loop
    assert len(loop.splitlines()) <= 30


def pendulum() -> Policy:
    """Untrained, in an environment that Gymnasium makes by itself."""
    bound = np.full(1, 3.0, np.float32)
    planner = continuous().model.planner
    skill = depo.VectorSkill(jax.random.key(0), planner.normaliser, 1, (16, 16))
    return Policy(
        DecoupledPolicy(planner, skill),
        observations=Space.vector(4),
        actions=Space.box(-bound, bound),
        origin=Origin(environment="invertedpendulum-v5"),
    )


def test_an_environment_that_gymnasium_alone_cannot_make_is_left_to_the_user(
    tmp_path: Path,
) -> None:
    _, folder = exported("continuous", "numpy", tmp_path)
    own = [sys.executable, str(folder / "run.py")]
    done = subprocess.run(own, timeout=60, capture_output=True, text=True)
    assert done.returncode == 1
    assert "point-v0 cannot be made by gymnasium.make alone: put your environment" in done.stderr


def test_the_manifest_says_what_the_numbers_are(tmp_path: Path) -> None:
    _, folder = exported("in-part", "numpy", tmp_path)
    about = json.loads((folder / "manifest.json").read_text())
    assert about["features"] == ["x", "y", "z", "w"]
    assert about["planned_features"] == ["x", "z"]
    assert about["actions"]["low"] == [-3.0, 0.0]
    assert about["remembers"] is True
    assert about["made_with"]["depo"]
    assert set(about["files"]) == {"planner.npz", "policy.py", "run.py", "skill.npz"}


def towards(state, target):
    """A formula."""
    return (target - state)[..., :2]


def test_a_formula_is_refused(tmp_path: Path) -> None:
    skill = depo.AnalyticSkill(towards, name=f"{__name__}:towards")
    policy = on_vectors(DecoupledPolicy(continuous().model.planner, skill))
    depo.save_policy(tmp_path / "policy", policy)
    with pytest.raises(depo.DepoError, match=r"formula .*:towards, which is Python code"):
        export_policy(tmp_path / "policy", "onnx", tmp_path / "out", trust=True)
    assert not (tmp_path / "out").exists()


@pytest.mark.wrong_types
def test_nothing_is_overwritten_and_formats_are_known(tmp_path: Path) -> None:
    _, folder = exported("finite-actor", "numpy", tmp_path)
    with pytest.raises(depo.DepoError, match="exists: choose another folder"):
        export_policy(tmp_path / "policy", "numpy", folder)
    with pytest.raises(depo.DepoError, match="unknown format 'onx': did you mean 'onnx'"):
        export_policy(tmp_path / "policy", "onx", tmp_path / "other")


def home(policy: depo.Policy) -> EnvironmentSettings:
    found = home_of_policy(policy)
    assert found is not None
    return found
