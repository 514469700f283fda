"""Which arguments lead elsewhere, and who may say them."""

from __future__ import annotations

import pytest

from depo.core.errors import DepoError
from depo.core.imports import allow, distrust, leading
from depo.environments.arguments import are_allowed, check_arguments


@pytest.mark.parametrize("text", [".a.xml", "../a", "/a", "~a", "a\\b", "module:Id-v0"])
def test_a_text_that_leads_elsewhere_is_found_however_deep(text: str) -> None:
    for value in (text, [1, {"a": (text,)}], {text: 1}):
        assert leading([("file", value)]) == (f"file={text}",)


@pytest.mark.parametrize("value", ["a.xml", "4x4", "rgb_array", 3, None, [1.5, True]])
def test_others_do_not(value: object) -> None:
    assert leading([("file", value)]) == ()


def test_only_what_the_user_has_said_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depo.core.imports._allowed", set())
    monkeypatch.setattr("depo.core.imports._strangers", {})
    own = {"file": "/a", "frames": 3}
    assert are_allowed(own)
    distrust(["file=/a"], "gift")
    assert not are_allowed(own)
    with pytest.raises(DepoError, match=r"gift was not made by you.* the argument file=/a"):
        check_arguments(own)
    allow(["file=/a"])
    check_arguments(own)
