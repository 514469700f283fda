"""What the package imports is what ``pyproject.toml`` declares: no less, and no more."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "depo"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OTHER_NAMES = {"PIL": "pillow", "sumo": "eclipse-sumo"}
"""Distributions that are not called as the module is."""
BROUGHT_BY = {"h5py": "minari", "mujoco": "gymnasium", "imageio-ffmpeg": "imageio"}
"""Distributions that an extra of another one brings."""
DEFERRED = {"onnx_graph.py"}
"""Modules that are imported only when they are used, as a whole."""


def top_level(node: ast.AST) -> list[str]:
    """The first names of the modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "").partition(".")[0]]
    return []


def for_types_alone(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(node: ast.AST, deferred: bool = False) -> Iterator[tuple[str, bool]]:
    """Modules that running a file imports, and whether only once a function is called."""
    for child in ast.iter_child_nodes(node):
        if for_types_alone(child):
            continue
        yield from ((name, deferred) for name in top_level(child))
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from imports(child, deferred or function)


@cache
def third_party() -> list[tuple[str, bool, Path]]:
    """Distribution, whether deferred, and file of every import of somebody else's module."""
    return [
        (OTHER_NAMES.get(name, name.replace("_", "-")).lower(), deferred, file)
        for file in sorted(PACKAGE.rglob("*.py"))
        for name, deferred in imports(ast.parse(file.read_text()))
        if name not in sys.stdlib_module_names and name != "depo"
    ]


def distribution(requirement: str) -> str:
    """The name in a requirement: ``gymnasium`` of ``gymnasium[mujoco]>=1.1``."""
    found = re.match(r"[\w.-]+", requirement)
    assert found, requirement
    return found[0].replace("_", "-").lower()


OPTIONAL = PROJECT["optional-dependencies"]
CORE = {distribution(each) for each in PROJECT["dependencies"]}
EXTRAS = {
    distribution(each) for extra in PROJECT["optional-dependencies"].values() for each in extra
}


def test_every_dependency_of_the_core_is_imported() -> None:
    assert CORE - {name for name, _, _ in third_party()} == set()


def test_every_import_is_declared() -> None:
    for name, _, file in third_party():
        known = CORE | EXTRAS
        assert {name, BROUGHT_BY.get(name)} & known, f"{file} imports {name}: declare it"


def test_what_only_an_extra_brings_is_imported_when_it_is_used() -> None:
    """Else a module of the core could not be imported without the extra."""
    for name, deferred, file in third_party():
        deferred = deferred or file.name in DEFERRED
        assert name in CORE or deferred, f"{file} imports {name}, of an extra, with the module"


def test_a_lock_names_the_public_index_alone() -> None:
    lock = (ROOT / "uv.lock").read_text()
    hosts = set(re.findall(r"(\w+://[^/\"]*)", lock))
    assert hosts == {"https://pypi.org", "https://files.pythonhosted.org"}


def test_the_lock_is_of_what_is_declared() -> None:
    """As 'uv lock --check' says, which needs the network."""
    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    locked = next(x for x in packages if x["name"] == "depo")["metadata"]["requires-dist"]
    optional = PROJECT["optional-dependencies"]
    declared = [(Requirement(line), "") for line in PROJECT["dependencies"]]
    declared += [(Requirement(line), extra) for extra in optional for line in optional[extra]]

    def marked(entry: dict) -> str:
        found = re.search(r"extra == '(\w+)'", entry.get("marker", ""))
        return found[1] if found else ""

    assert {(x.name.lower(), frozenset(x.extras), x.specifier, own) for x, own in declared} == {
        (x["name"], frozenset(x.get("extras", ())), SpecifierSet(x.get("specifier", "")), marked(x))
        for x in locked
    }, "run 'uv lock'"


def test_python_versions_are_those_that_are_tried() -> None:
    said = [word.rpartition(" ")[2] for word in PROJECT["classifiers"] if "Python :: 3." in word]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert f"python: {said}".replace("'", '"') in workflow
    assert PROJECT["requires-python"] == f">={said[0]}"


def test_the_citation_has_the_version() -> None:
    said = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {PROJECT['version']}\n" in said
