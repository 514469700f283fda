"""What the pages say of Python and of the command line is there: names, arguments, flags."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import depo
from depo.cli.main import COMMANDS, main
from depo.environments.by_name import named_environment
from depo.methods.registry import methods, trainable

ROOT = Path(__file__).parents[1]
OLD = {"lab-notes.md"}
"""What was done, in the words of its day."""
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in OLD),
    ROOT / "docs" / "reference" / "python.md",
]
ENVIRONMENTS = ("gridworld", "FrozenLake-v1", "hopper", "driving")
"""Some of each family, finite and vectors: their flags are all there are."""
OF_OTHERS = {"--editable", "--logdir", "--force", "--torch-python"}
"""Flags of pip, TensorBoard and our own scripts."""


def blocks(page: Path, *languages: str) -> Iterator[tuple[int, str]]:
    """Line and text of the fenced blocks of some languages."""
    text = page.read_text()
    for found in re.finditer(r"^```(\w+)[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if found[1] in languages:
            yield text[: found.start()].count("\n") + 1, found[2]


def ids(page: Path) -> str:
    return page.name


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_python_blocks_are_python_and_use_what_there_is(page: Path) -> None:
    for line, text in blocks(page, "python"):
        where = f"{page.name}:{line}"
        for node in ast.walk(ast.parse(text, where)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("depo"):
                module = importlib.import_module(node.module or "")
                missing = [a.name for a in node.names if not hasattr(module, a.name)]
                assert not missing, f"{where}: {node.module} has no {missing}"
            elif isinstance(node, ast.Attribute) and is_depo(node.value):
                assert node.attr in depo.__all__, f"{where}: depo.{node.attr} is not public"
        for call in public_calls(ast.parse(text)):
            check_arguments(call, where)


def is_depo(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "depo"


def public_calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls of ``depo.NAME`` whose arguments are written out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and is_depo(getattr(node.func, "value", node)):
            dots = any(getattr(value, "value", None) is ... for value in node.args)
            if not dots and all(word.arg for word in node.keywords):
                yield node


def check_arguments(call: ast.Call, where: str) -> None:
    """A call passes arguments that the function takes."""
    name, named = getattr(call.func, "attr", ""), {str(word.arg): None for word in call.keywords}
    try:
        inspect.signature(getattr(depo, name)).bind(*call.args, **named)
    except TypeError as error:
        raise AssertionError(f"{where}: {ast.unparse(call)}: {error}") from None


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_inline_names_of_the_package_are_there(page: Path) -> None:
    """``depo.train`` and ``depo.core.metrics`` in running text."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for name in set(re.findall(r"`(depo(?:\.\w+)+)", text)):
        assert is_there(name), f"{page.name}: {name} is not there"


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, an attribute of one, or a group of entry points."""
    if name in ("depo.methods", "depo.environments"):
        return True
    parts, found = name.split(".")[1:], depo
    path = "depo"
    for part in parts:
        path = f"{path}.{part}"
        if not hasattr(found, part):
            with contextlib.suppress(ImportError):
                importlib.import_module(path)
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def commands(page: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every ``depo …`` in shell blocks and in running text."""
    for line, text in blocks(page, "sh", "bash", "console"):
        for i, said in enumerate(text.replace("\\\n", " ").splitlines(), 1):
            if found := re.match(r"(?:\$ )?(?:\.venv/bin/)?depo\s+(.*)", said.strip()):
                yield line + i, found[1]
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for found in re.finditer(r"`depo\s+([a-z][^`]*)`", text):
        yield 0, found[1].replace("\n", " ")


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_commands_and_their_flags_are_there(page: Path) -> None:
    for line, said in commands(page):
        words = shlex.split(said, comments=True)
        where = f"{page.name}:{line}: depo {said}"
        assert words[0] in COMMANDS or words[0] in ("COMMAND", "--help"), where
        known = flags_of(words)
        for word in words:
            if word.startswith("--") and word not in ("--help", "--version"):
                flag = word.partition("=")[0].replace("--no-", "--")
                assert flag in known, f"{where} has no {flag}"


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_flags_in_running_text_are_there(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    known = {flag for command in COMMANDS for flag in all_flags(command)}
    said = {found.replace("--no-", "--") for found in re.findall(r"`(--[a-z][\w-]*)", text)}
    assert said - known - OF_OTHERS - {"--help"} == set()


def flags_of(words: list[str]) -> frozenset[str]:
    """The flags that a command line may have, whatever its environment."""
    command, *rest = words
    second = rest[0] if rest else ""
    if command in ("train", "cotrain", "settings"):
        return training_flags(command, second if second in methods() else "depo")
    if command == "demos":
        return help_flags(command, second) if second.isascii() and second else frozenset()
    return all_flags(command)


@cache
def all_flags(command: str) -> frozenset[str]:
    """All flags that a command has for some method and environment."""
    if command in ("train", "cotrain", "settings"):
        known = methods() if command == "settings" else trainable()
        return frozenset[str]().union(*(training_flags(command, name) for name in known))
    if command == "transfer":
        return training_flags(command, "PLANNER")
    if command == "demos":
        names = re.findall(r"^  depo demos ([\w-]+)", said_by("demos"), re.MULTILINE)
        return frozenset[str]().union(*(help_flags("demos", name) for name in names))
    return help_flags(command, *(["fig2"] if command == "reproduce" else []))


@cache
def training_flags(command: str, name: str) -> frozenset[str]:
    found = frozenset[str]()
    for env in ENVIRONMENTS:
        if command == "settings":
            found |= help_flags("train" if name != "transfer" else "transfer", name, "--env", env)
        else:
            found |= help_flags(command, name, "--env", env)
    return found | ({"--why", "--toml", "--planner"} if command == "settings" else frozenset())


@cache
def help_flags(*words: str) -> frozenset[str]:
    """The flags that a help lists."""
    found = re.findall(r"(?<![\w'])--(?:\[no-\])?([a-z][\w-]*)", said_by(*words, "--help"))
    return frozenset(f"--{name.removeprefix('no-')}" for name in found)


def said_by(*words: str) -> str:
    """What a command prints; nothing where the method is not for that environment."""
    printed = io.StringIO()
    silent = contextlib.redirect_stderr(io.StringIO())
    with contextlib.redirect_stdout(printed), silent, contextlib.suppress(SystemExit):
        main(list(words))
    return printed.getvalue()


def test_every_family_is_asked() -> None:
    assert {named_environment(name).family for name in ENVIRONMENTS} == {
        "grid",
        "gymnasium",
        "driving",
    }


def test_every_public_name_is_on_the_page_of_python() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    assert [name for name in depo.__all__ if not re.search(rf"\b{name}\b", page)] == []


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    there = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").glob("*.md")}
    assert there - listed == set()


def test_recordings_of_another_library_are_read_as_its_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "migrate-from-imitation.md"
    quick = [text for _, text in blocks(page, "python") if "depo.train" not in text]
    for text in quick:
        exec(compile(text, page.name, "exec"), {"__name__": "page"})
    assert capsys.readouterr().out.splitlines() == ["4", "4 (804, 3)"]


@pytest.mark.slow  # it trains
@pytest.mark.parametrize("name", ["README.md", "docs/reference/python.md"])
def test_a_page_runs_from_top_to_bottom(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\n".join(text for _, text in blocks(ROOT / name, "python"))
    exec(compile(text, name, "exec"), {"__name__": "page"})
