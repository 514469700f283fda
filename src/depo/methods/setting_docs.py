"""Sentences below the fields of a dataclass, read from its source: help and pages show them."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar

Found = TypeVar("Found")


def once(function: Callable[[type], Found]) -> Callable[[type], Found]:
    """Asked once for each class."""
    return cache(function)  # a function of its own, as mypy takes dataclasses for unhashable


@once
def documentation(owner: type) -> dict[str, str]:
    """The sentences below each field of a dataclass, inherited ones too, read from its source."""
    found: dict[str, str] = {}
    for base in owner.__bases__:
        if dataclasses.is_dataclass(base):
            found |= documentation(base)
    try:
        module = inspect.getsource(sys.modules[owner.__module__])
    except (OSError, TypeError):
        return found
    for node in ast.walk(ast.parse(module)):
        if isinstance(node, ast.ClassDef) and node.name == owner.__name__:
            return found | dict(_docstrings(node))
    return found


def _docstrings(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, after in zip(node.body, node.body[1:], strict=False):
        match statement, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())
