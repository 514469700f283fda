"""Texts from outside stay on their line."""

from __future__ import annotations

import pytest

from depo.core.markdown import inline


@pytest.mark.parametrize("text", ["x\n# y", "[a](b)", "![a](b)", "<img>", "`a`", "a|b", "a\u2028b"])
def test_a_text_is_no_markup(text: str) -> None:
    said = inline(text)
    assert said.isprintable()
    for sign in ("](", "<"):
        assert sign not in said
    for sign in ("`", "|"):
        assert said.count(sign) == said.count(f"\\{sign}")


def test_plain_names_are_as_they_are() -> None:
    assert inline("joint[0] (rad) ü_1") == "joint[0] (rad) ü_1"
