"""What is known of demonstrations."""

from __future__ import annotations

import json

from tests.support.command import call


def test_the_shipped_list(capsys) -> None:
    assert call("demos", "list", "--json") == 0
    assert {row["name"] for row in json.loads(capsys.readouterr().out)} >= {"gridworld"}
