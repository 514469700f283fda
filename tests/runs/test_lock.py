"""Two processes do not work on one run; where nothing can be locked, that is said."""

from __future__ import annotations

import errno
import fcntl
import logging
from pathlib import Path

import pytest

from depo.core.errors import DepoError
from depo.runs.lock import is_locked, locked


def test_one_at_a_time(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)
    with locked(tmp_path):
        assert is_locked(tmp_path)
        with pytest.raises(DepoError, match="in use by another process"), locked(tmp_path):
            pass
    assert not is_locked(tmp_path)


def test_a_file_system_without_locks_is_told_of_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with caplog.at_level(logging.WARNING, "depo"), locked(tmp_path):
        assert not is_locked(tmp_path)
    assert "cannot be locked (No locks available)" in caplog.text
