"""HTML that cannot be injected into: texts are escaped unless they were made here."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from depo.core.errors import printable

EMPTY = {"img", "meta", "link", "br"}
"""Elements that have no end."""


@dataclass(frozen=True)
class Markup:
    """HTML as it goes into the page."""

    text: str


Child = str | Markup | None


def escaped(text: str) -> str:
    """A text from outside, in an element or an attribute.

    >>> escaped('<b a="1">')
    '&lt;b a=&quot;1&quot;&gt;'
    """
    return html.escape(printable(text), quote=True)


def tag(name: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element; ``class_`` is its class, and what is None is left out.

    >>> tag("p", "a < b", class_="note").text
    '<p class="note">a &lt; b</p>'
    """
    said = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False and isinstance(value, str | bool)
    )
    if name in EMPTY:
        return Markup(f"<{name}{said}>")
    return Markup(f"<{name}{said}>{joined(children).text}</{name}>")


def joined(children: Iterable[Child]) -> Markup:
    """Elements and texts one after the other."""
    return Markup(
        "".join(
            child.text if isinstance(child, Markup) else escaped(child)
            for child in children
            if child is not None
        )
    )


@dataclass(frozen=True)
class Cell:
    """What a table shows, and the number it is sorted by."""

    text: str | Markup
    value: float | None = None


Row = list[Cell | str]


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell | str]],
    *,
    caption: str = "",
    ends: Iterable[Sequence[Cell | str]] = (),
    titles: Mapping[str, str] | None = None,
    class_: str = "",
) -> Markup:
    """A table whose rows can be sorted by any column; those of ``ends`` stay below."""
    about = titles or {}
    head = tag("tr", *(tag("th", name, scope="col", title=about.get(name)) for name in columns))
    body = (tag("tr", *map(_cell, row)) for row in rows)
    foot = [tag("tr", *map(_cell, row)) for row in ends]
    inner = tag(
        "table",
        tag("thead", head),
        tag("tbody", *body),
        tag("tfoot", *foot) if foot else None,
        class_=f"sortable {class_}".strip(),
    )
    wide = tag("div", inner, class_="wide", tabindex="0", role="region", aria_label=caption or None)
    return joined([tag("p", caption, class_="caption") if caption else None, wide])


def _cell(cell: Cell | str) -> Markup:
    if isinstance(cell, str):
        return tag("td", cell)
    if cell.value is None:
        return tag("td", cell.text)
    return tag("td", cell.text, data_value=repr(float(cell.value)), class_="number")


def embedded(value: Any) -> str:
    """Plain data as JSON inside a script element: no text in it ends or hides the element.

    >>> embedded({"a": "</script><!--"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u003c!--"}'
    """
    text = json.dumps(_finite(value), separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _finite(value: Any) -> Any:
    """Texts as they are printed; what is no finite number is null."""
    if isinstance(value, Mapping):
        return {printable(str(name)): _finite(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(x) for x in value]
    if isinstance(value, str):
        return printable(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
