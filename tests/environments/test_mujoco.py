from __future__ import annotations

import sys
from pathlib import Path

import pytest

from depo.core.errors import DepoError
from depo.environments.mujoco import hear_warnings


def test_a_mujoco_that_cannot_be_loaded_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mujoco.py").write_text("raise RuntimeError('invalid value: bad')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mujoco", raising=False)
    monkeypatch.setenv("MUJOCO_GL", "bad")
    with pytest.raises(DepoError, match=r"MUJOCO_GL=bad .*invalid value.*unset it"):
        hear_warnings()
