"""The command line, called in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from depo.cli.main import main


def call(*arguments: str | Path) -> int:
    """The exit code of ``depo`` with ``arguments``."""
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return int(stop.value.code or 0)
