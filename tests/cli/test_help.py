"""The help of training commands."""

from __future__ import annotations

import dataclasses

import pytest

from depo.cli.help import HEADINGS, SHOWN_FIRST, Flag, grouped
from depo.methods import registry
from depo.methods.settings_tree import leaves
from tests.support.command import call

COMMANDS = [
    ("train", "depo"),
    ("train", "sac", "--env", "hopper"),
    ("train", "depo", "--env", "driving"),
    ("transfer", "PLANNER", "--env", "hopper"),
    ("cotrain", "depo"),
    ("settings", "depo"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("width", [80, 120])
def test_help_fits(words: tuple[str, ...], width: int, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert call(*words, "--help") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    headings = [line for line in lines if line and not line.startswith(("  ", "usage"))]
    assert [x for x in headings if x in HEADINGS] == [x for x in HEADINGS if x in headings]
    assert lines.index("what people change first") < lines.index("what")


def test_every_setting_is_there_once_with_sentence_and_default(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert call("train", "depo", "--env", "hopper", "--help") == 0
    words = capsys.readouterr().out.split()
    flags = [w.replace("--[no-]", "--") for w in words if w.startswith("--")]
    kind = registry.find_method("depo").implementation("off-policy").settings
    for leaf in leaves(kind):
        assert leaf.doc, leaf.name
        assert f"--{leaf.name.replace('_', '-')}" in flags


def test_defaults_are_the_presets(capsys) -> None:
    def shown(*words: str) -> str:
        assert call("train", "depo", *words, "--help") == 0
        return " ".join(capsys.readouterr().out.split())

    assert "Weight c of the calibrated gradient. [1.0]" in shown()
    assert "[straight-through]" in shown("--preset", "paper")
    assert "[straight-through]" not in shown()


def test_ten_come_first() -> None:
    flags = [Flag(n, int, 1, "Doc.", "what") for n in ("seed", "steps", "env", "hidden", "follow")]
    groups = grouped(flags)
    assert [f.name for f in groups["what people change first"]] == ["env", "steps", "hidden"]
    assert [f.name for f in groups["what"]] == ["seed", "follow"]
    assert SHOWN_FIRST == 10


def test_a_method_from_outside_is_listed(capsys, monkeypatch) -> None:
    known = dict(registry._all())
    spec = dataclasses.replace(known["depo"], name="theirs", summary="A method of others.")
    monkeypatch.setattr(registry, "_all", lambda: known | {"theirs": spec})
    assert call("train", "--help") == 0
    assert "theirs           A method of others." in capsys.readouterr().out
    assert call("train", "theirs", "--help") == 0
    assert "usage: depo train theirs [flags]" in capsys.readouterr().out
