"""Another package that is broken, or slow, is named, and nobody else suffers."""

from __future__ import annotations

import sys
import types
from importlib.metadata import EntryPoint

import pytest

from depo.core import plugins
from depo.core.plugins import PluginWarning, load_plugins, provider


class Package:
    """As a distribution says who it is."""

    name, version = "strangers-package", "0.3"


def _point(module: str) -> EntryPoint:
    point = EntryPoint("theirs", f"{module}:SPEC", "depo.methods")
    return point._for(Package())  # type: ignore[attr-defined]


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch):
    """Modules whose attribute is made by a function, and the points that name them."""
    points: list[EntryPoint] = []

    def add(name: str, make) -> None:
        module = types.ModuleType(name)
        module.__getattr__ = lambda _: make()  # type: ignore[method-assign]
        monkeypatch.setitem(sys.modules, name, module)
        points.append(_point(name))

    monkeypatch.setattr(plugins, "entry_points", lambda group: points)
    monkeypatch.setattr(plugins, "_providers", {})
    return add


def _fails() -> None:
    raise ValueError("the author's mistake")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_fails, "cannot be used: ValueError: the author's mistake"),
        (lambda: sys.exit("bye"), "cannot be used: SystemExit: bye"),
    ],
)
def test_a_package_that_fails_is_named_and_the_next_is_loaded(modules, make, said: str) -> None:
    modules("fails", make)
    modules("works", lambda: 7)
    found: list[int] = []
    with pytest.warns(PluginWarning, match=f"'theirs' of the package strangers-package .*{said}"):
        load_plugins("depo.methods", found.append)
    assert found == [7]
    assert provider("works.deep.inside") == ("strangers-package", "0.3")
    assert provider("fails") is None


def test_a_slow_one_is_named(modules, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 5.0])
    monkeypatch.setattr(plugins.time, "monotonic", lambda: next(clock))
    modules("works", lambda: 7)
    with pytest.warns(PluginWarning, match=r"takes 5 s to be imported.*every command waits"):
        load_plugins("depo.methods", lambda found: None)
