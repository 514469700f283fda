"""What files say, and what they are called, does not reach the terminal as commands."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo import Demonstrations
from depo.cli.output import print_json, print_table, print_wide_table
from depo.core.errors import DepoError, printable
from depo.core.terminal import PlainConsole
from tests.support.command import call

HOSTILE = "a\x1b]0;title\x07\x1b[31mred\nb\rc\x9b2J\u202eright [bold]b[/] [/oops]"
CLEAN = r"a\x1b]0;title\x07\x1b[31mred\nb\rc\x9b2J\u202eright [bold]b[/] [/oops]"


@given(st.text())
def test_any_text_becomes_one_line_that_can_be_printed(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert printable(shown) == shown
    if text.isprintable():
        assert shown == text


def test_a_message_is_one_line() -> None:
    assert str(DepoError(f"{HOSTILE} does not exist")) == f"{CLEAN} does not exist"
    file = io.StringIO()
    PlainConsole(file=file, width=200).print(HOSTILE)
    assert file.getvalue() == f"{CLEAN}\n"


@pytest.mark.parametrize("show", [print_table, print_wide_table])
def test_a_table_shows_what_is_there(show, capsys: pytest.CaptureFixture[str]) -> None:
    show(HOSTILE, [HOSTILE], [[HOSTILE]])
    shown = capsys.readouterr().out
    assert shown.count(CLEAN) == 3
    assert len(shown.splitlines()) == 6
    print_json({HOSTILE: HOSTILE})
    assert printable(capsys.readouterr().out.replace("\n", "")).isascii()


def test_commands_say_what_a_file_says_and_no_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    states = np.zeros((4, 1), np.float32)
    demos = replace(
        Demonstrations.from_episodes([states], feature_names=[HOSTILE]),
        metadata={"source": HOSTILE},
    )
    file = demos.save(tmp_path / "mine.npz")
    assert call("demos", "info", file) == 0
    said = capsys.readouterr().out
    assert said.count("title") == 3  # the source, and the feature: its name, and its range
    named = tmp_path / "[red]\x1b[31m\n.csv"
    assert call("demos", "info", named) == 2
    assert call("demos", "from-traffic", named, "--out", tmp_path / "x.npz") == 2
    named.write_bytes(os.urandom(64))
    assert call("demos", "from-traffic", named, "--out", tmp_path / "x.npz") == 2
    (tmp_path / "\x1b[31m" / "run" / "checkpoints").mkdir(parents=True)
    (tmp_path / "\x1b[31m" / "run" / "settings.json").write_text('{"format": "\\u001b[31m"}')
    assert call("runs", tmp_path) == 0
    caught = capsys.readouterr()
    for text in (said, caught.out, caught.err):
        assert all(x.isprintable() or x == "\n" for x in text), text
