"""A hook of MkDocs: equations become MathML, which browsers draw without any script or network."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

EQUATION = re.compile(r'<(span|div) class="arithmatex">(\\\(|\\\[)(.*?)(\\\)|\\\])</\1>', re.DOTALL)


def on_page_content(text: str, **_: Any) -> str:
    r"""MathML in place of ``\(…\)`` and ``\[…\]``."""
    return EQUATION.sub(_drawn, text)


def _drawn(found: re.Match[str]) -> str:
    block = found[1] == "div"
    drawn = convert(html.unescape(found[3]).strip(), display="block" if block else "inline")
    return f'<div class="equation">{drawn}</div>' if block else drawn
