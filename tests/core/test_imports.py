"""Modules of the user are found in the current folder, and a broken one is a sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from depo.core.errors import DepoError
from depo.core.imports import import_module


def test_a_module_of_the_current_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    Path("made_here_for_depo.py").write_text("answer = 42")
    assert import_module("made_here_for_depo", "--skill").answer == 42
    del sys.modules["made_here_for_depo"]


@pytest.mark.parametrize("content", ["1 / 0", "def", "raise SystemError('no')"])
def test_one_that_breaks_names_who_needs_it(content: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_for_depo.py").write_text(content)
    with pytest.raises(DepoError, match="cannot import 'broken_for_depo' of --skill"):
        import_module("broken_for_depo", "--skill")
