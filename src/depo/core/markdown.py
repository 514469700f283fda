"""Texts from outside on a card: words on their line, never a heading, a link, a picture or HTML."""

from __future__ import annotations

from depo.core.errors import printable

_ESCAPED = {"\\": "\\\\", "<": "&lt;", "|": "\\|", "`": "\\`", "](": "]\\("}


def inline(text: str) -> str:
    r"""A text as a part of a line of Markdown, in a table too.

    >>> inline("joint[0]"), inline("![x](http://a) <img>\n# b")
    ('joint[0]', '![x]\\(http://a) &lt;img>\\\\n# b')
    """
    text = printable(text)
    for sign, escaped in _ESCAPED.items():
        text = text.replace(sign, escaped)
    return text
