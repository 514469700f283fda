"""Modules of the user are found in the current folder, a stranger's names import nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from depo.core.errors import DepoError
from depo.core.imports import EXTRAS, allow, distrust, import_module


def test_a_module_of_the_current_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    Path("made_here_for_depo.py").write_text("answer = 42")
    assert import_module("made_here_for_depo", "skill", "made_here_for_depo:f").answer == 42
    del sys.modules["made_here_for_depo"]


@pytest.mark.parametrize("content", ["1 / 0", "def", "raise SystemError('no')"])
def test_one_that_breaks_names_who_needs_it(content: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_for_depo.py").write_text(content)
    with pytest.raises(DepoError, match="cannot import 'broken_for_depo' of skill"):
        import_module("broken_for_depo", "skill", "broken_for_depo:f")


def test_one_that_an_extra_brings_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "nowhere_for_depo", "robotics")
    with pytest.raises(DepoError, match=r"No module named .*: pip install 'depo\[robotics\]'$"):
        import_module("nowhere_for_depo", "environment", "nowhere_for_depo:Arm-v0")


def test_a_strangers_name_waits_for_the_users_leave() -> None:
    distrust(["wave:only_a_stranger", "wave:both"], "gift")
    allow(["wave:both"])
    with pytest.raises(DepoError, match=r"gift .* wants the module 'wave' .*--trust or trust=True"):
        import_module("wave", "skill", "wave:only_a_stranger")
    assert import_module("wave", "skill", "wave:both").__name__ == "wave"
    distrust(["wave:both"], "another")  # what the user has said holds
    assert import_module("wave", "skill", "wave:both")
    allow(["wave:only_a_stranger"])
    assert import_module("wave", "skill", "wave:only_a_stranger")


def test_a_file_in_the_current_folder_does_not_pass_for_a_library(tmp_path: Path) -> None:
    for name in ("numpy", "tyro", "msgspec", "gymnasium", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('ran a file of this folder')")
    code = (
        "import sys; sys.path = [p for p in sys.path if p]\n"
        "from depo.core.imports import import_module\n"
        "import_module('wave', 'skill', 'wave:open')\n"
        "import json, msgspec, tyro, gymnasium, numpy; print('fine')"
    )
    script = Path(sys.executable).with_name("depo")
    for command in ([sys.executable, "-P", "-c", code], [script, "demos", "list"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
