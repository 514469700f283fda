"""Imports go one way: the order is the picture in docs/concepts.md, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "depo"
TOP = ("__init__", "__main__")
"""Above all layers: what ``import depo`` and ``python -m depo`` put together."""
DRAWING = ("matplotlib", "imageio", "PIL")


def layers() -> list[list[str]]:
    """The lines of the picture, the lowest first; names on one line do not know each other."""
    text = (ROOT / "docs" / "concepts.md").read_text()
    picture = re.search(r"## Layers.*?```text\n(.*?)```", text, re.DOTALL)
    assert picture, "docs/concepts.md has no picture under '## Layers'"
    lines = [line.partition("  ")[0] for line in picture[1].splitlines() if line.strip()]
    return [[name.strip() for name in line.split("·")] for line in reversed(lines)]


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every module a file imports, wherever in it, and under any condition."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno} imports by dots"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) == "import_module":
            said = node.args[0] if node.args else None
            if isinstance(said, ast.Constant):
                yield node.lineno, str(said.value)


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def layer_of(file: Path) -> str:
    """The folder or module directly below the package."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def violations(package: Path, order: list[list[str]]) -> list[str]:
    """Imports that go up, or sideways within a line, each with its file and line."""
    height = {name: i for i, line in enumerate(order) for name in line}
    found = []
    for file in sorted(package.rglob("*.py")):
        own = file.relative_to(package).parts[0].removesuffix(".py")
        if own in TOP:
            continue
        for line, module in imports(file):
            first, _, rest = module.partition(".")
            other = rest.partition(".")[0]
            if first != "depo" or other == own:
                continue
            if other not in height or height[other] >= height[own]:
                found.append(f"{file.relative_to(package)}:{line}: {own} imports {module}")
    return found


def test_every_folder_has_its_place_in_the_picture() -> None:
    drawn = sorted(name for line in layers() for name in line)
    there = {layer_of(file) for file in PACKAGE.rglob("*.py")} - set(TOP)
    assert drawn == sorted(there)


def test_imports_go_down() -> None:
    assert violations(PACKAGE, layers()) == []


@pytest.mark.parametrize(
    "text",
    [
        "from depo.runs.run import Run",
        "def late():\n    import depo.runs.run",
        "if TYPE_CHECKING:\n    from depo import runs",
        "import_module('depo.runs.run')",
        "from depo.theory import bounds",  # beside it
    ],
)
def test_what_goes_up_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "losses").mkdir()
    (tmp_path / "losses" / "mine.py").write_text(f"from depo.models import mlp\n{text}\n")
    found = violations(tmp_path, layers())
    assert len(found) == 1
    assert re.match(r"losses/mine.py:[23]: losses imports depo\.(runs|theory)", found[0])


def test_nothing_is_drawn_below_the_analysis() -> None:
    order = [name for line in layers() for name in line]
    low = set(order[: order.index("analysis")])
    drawing = [
        f"{file.relative_to(PACKAGE)}:{line}"
        for file in PACKAGE.rglob("*.py")
        if layer_of(file) in low
        for line, module in imports(file)
        if module.partition(".")[0] in DRAWING
    ]
    assert drawing == []
