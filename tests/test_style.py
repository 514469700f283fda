"""Functions are short, packages say what they are for, and words are those of the field."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "depo"
LONGEST, MOST_COMPLEX = 60, 15
REASON = re.compile(r"#\s*long because \w+")


def long_functions(text: str) -> Iterator[tuple[str, int]]:
    """Name and length of functions that are too long and do not say why on their first line."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            signature = lines[node.lineno - 1 : node.body[0].lineno]
            if length > LONGEST and not any(REASON.search(line) for line in signature):
                yield node.name, length


def test_functions_are_short() -> None:
    found = [
        f"{file.relative_to(SOURCE)}: {name} has {length} lines"
        for file in sorted(SOURCE.rglob("*.py"))
        for name, length in long_functions(file.read_text())
    ]
    assert found == [], "cut them, or write '# long because …' beside the signature"


@pytest.mark.parametrize(
    ("first", "found"), [("", [("f", 62)]), ("  # long because it is one table", [])]
)
def test_long_functions_are_named_unless_there_is_a_reason(
    first: str, found: list[tuple[str, int]]
) -> None:
    text = f"def f():{first}\n" + "    pass\n" * 61
    assert list(long_functions(text)) == found


def test_ruff_refuses_complex_functions() -> None:
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    assert "C901" in lint["select"]
    assert lint["mccabe"]["max-complexity"] == MOST_COMPLEX
    silenced = [
        f"{file.relative_to(SOURCE)}:{i}"
        for file in SOURCE.rglob("*.py")
        for i, line in enumerate(file.read_text().splitlines(), 1)
        if re.search(r"noqa: *C901\s*$", line)
    ]
    assert silenced == [], "say beside the noqa why the function is complex"


def purpose(module: Path) -> str:
    """The first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(module.read_text())) or "").partition("\n")[0]


def test_every_folder_says_what_it_is_for_in_the_same_words_everywhere() -> None:
    """A newcomer reads the list in README.md or the picture in docs/concepts.md."""
    readme = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", (ROOT / "README.md").read_text(), re.M))
    picture = (ROOT / "docs" / "concepts.md").read_text()
    folders = {file.parent.name: purpose(file) for file in SOURCE.glob("*/__init__.py")}
    assert set(readme) == set(folders)
    for name, said in folders.items():
        words = readme[name]
        assert said == f"{words[0].upper()}{words[1:]}.", f"{name}/__init__.py and README.md differ"
        assert words in picture, f"docs/concepts.md has other words for {name}"


OTHER_WORDS = {
    r"so many (steps|episodes|frames|seconds|samples)": "n steps",
    r"(less|minus) what is usual of late": "minus its running mean",
    r"\b[Ff]aces?\b": "Gymnasium environment",
    r"\bjudges?\b(?! (its )?claims?)": "critic, discriminator",
    r"\bshowcase\b": "demo",
    r"\bkinds? of (environment|dynamics|vehicle)s?\b": "variant",
}
"""What used to be said, and the field's word for it."""


@pytest.mark.parametrize("pattern", OTHER_WORDS)
def test_words_are_those_of_the_field(pattern: str) -> None:
    said = [
        f"{file.relative_to(SOURCE)}:{i}: {line.strip()}"
        for file in sorted(SOURCE.rglob("*.py"))
        for i, line in enumerate(file.read_text().splitlines(), 1)
        if re.search(pattern, line) and "experiments/claims.py" not in file.as_posix()
    ]
    assert said == [], f"say {OTHER_WORDS[pattern]}"


def test_protocols_can_be_checked_at_run_time() -> None:
    """``make test`` checks arguments as it runs, and cannot import a module with one that is not,
    nor one whose annotations name a generic named tuple."""
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
                said = {ast.unparse(decorator) for decorator in node.decorator_list}
                where = f"{file.relative_to(SOURCE)}: {node.name}"
                assert "Protocol" not in bases or "runtime_checkable" in said, where
                assert not {"NamedTuple", "Generic"} <= bases, where
