"""Methods are registered once, and everything else is asked of their specs."""

from __future__ import annotations

import subprocess
import sys
import types
from importlib.metadata import EntryPoint

import pytest

from depo.core import plugins
from depo.core.errors import DepoError
from depo.methods import registry
from depo.methods.registry import (
    OFF_POLICY,
    ON_POLICY,
    Implementation,
    MethodSpec,
    deferred,
    find_method,
    implementation_of,
    methods,
    register,
    trainable,
)
from depo.methods.sac import OffPolicySAC

ALL = [
    pytest.param(spec, learner, id=f"{name}-{learner}")
    for name, spec in methods().items()
    for learner in spec.implementations
]


def test_no_jax_is_needed_to_know_the_methods() -> None:
    said = "import sys, depo.methods.registry as r; r.methods(); print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_transfer_is_a_method_that_is_not_trained() -> None:
    assert "transfer" in methods()
    assert "transfer" not in trainable()


@pytest.mark.parametrize(("spec", "learner"), ALL)
def test_a_spec_is_whole(spec: MethodSpec, learner) -> None:
    own = spec.implementation(learner)
    assert set(own.presets) - {"recipe", "v0.1"} == {"fast", "paper"}
    assert own.settings.__doc__
    assert spec.summary.endswith(".")
    assert implementation_of(own.settings()) is own


def test_a_method_of_the_other_learner_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        DepoError, match=r"'ppo' is for the on-policy learner.*needs off-policy: depo"
    ):
        find_method("ppo").implementation(OFF_POLICY)
    with pytest.raises(DepoError, match="did you mean 'depo'"):
        find_method("dep0")
    with pytest.raises(DepoError, match="did you mean 'transfer'"):
        find_method("transfre")
    with pytest.raises(DepoError) as said:
        find_method("xyz")
    assert ", transfer" not in str(said.value)  # nothing that depo train could do


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch):
    """A registry that is filled anew, and emptied again."""
    monkeypatch.setattr(registry, "_methods", {})
    monkeypatch.setattr(registry, "_loaded", [])
    return monkeypatch


def _spec(name: str, kind: type[OffPolicySAC] = OffPolicySAC, **more) -> MethodSpec:
    own = Implementation(kind, deferred("depo.methods.sac.off_policy:SACMethod"))
    return MethodSpec(name, "Mine.", {OFF_POLICY: own}, needs_demonstrations=False, **more)


def _cell() -> type[OffPolicySAC]:
    """What a cell of a notebook defines whenever it is run."""

    class Mine(OffPolicySAC):
        """Mine."""

    return Mine


@pytest.mark.wrong_types
def test_methods_register_from_python_under_names_of_their_own(empty) -> None:
    mine = _spec("mine")
    assert register(mine) is mine
    assert register(mine) is mine
    assert find_method("mine") is mine
    with pytest.raises(DepoError, match="there is a method 'sac' already"):
        register(_spec("sac"))
    with pytest.raises(DepoError, match="there is a method 'sac' already"):
        register(_spec("sac", _cell()))
    with pytest.raises(DepoError, match=r"method 'Mine': name 'Mine' is not made of"):
        register(_spec("Mine"))
    with pytest.raises(DepoError, match="7 is no MethodSpec"):
        register(7)


def test_a_cell_that_is_run_again_replaces_its_method(empty) -> None:
    register(_spec("mine", _cell(), colour="#000000"))
    again = register(_spec("mine", _cell(), colour="#ffffff"))
    assert find_method("mine") is again
    assert (
        implementation_of(again.implementations[OFF_POLICY].settings())
        is (again.implementations[OFF_POLICY])
    )


def _point(value: str) -> EntryPoint:
    return EntryPoint("point", value, "depo.methods")


def test_a_broken_package_is_a_warning_that_names_it(empty) -> None:
    points = [
        EntryPoint("broken", "no_such_module:SPEC", "depo.methods"),
        EntryPoint("number", "math:pi", "depo.methods"),
        EntryPoint("twice", "depo.methods.sac:METHODS", "depo.methods"),
    ]
    empty.setattr(plugins, "entry_points", lambda group: points)
    with pytest.warns(RuntimeWarning) as warned:
        found = methods()
    assert "sac" in found
    said = " ".join(str(each.message) for each in warned)
    assert "'broken'" in said
    assert "'number'" in said
    assert "'twice'" not in said  # the same object again is no harm


def test_of_several_methods_the_right_ones_are_there(empty) -> None:
    registry._all()
    with pytest.raises(DepoError, match=r"method 'Mine': name .*; 7 is no MethodSpec"):
        registry._add_all([_spec("Mine"), 7, _spec("mine")])
    assert "mine" in methods()


def test_a_package_may_register_what_its_entry_point_names(empty) -> None:
    """Its module asks for the methods while they are being loaded."""
    module = types.ModuleType("registers_itself")
    module.__getattr__ = lambda name: register(_spec("mine"))  # type: ignore[method-assign]
    empty.setitem(sys.modules, "registers_itself", module)
    empty.setattr(plugins, "entry_points", lambda group: [_point("registers_itself:SPEC")])
    assert "mine" in methods()


def test_settings_of_nobody_are_refused() -> None:
    class Mine(OffPolicySAC):
        pass

    with pytest.raises(DepoError, match="no method has the settings Mine"):
        implementation_of(Mine())
    assert ON_POLICY in find_method("depo").implementations
