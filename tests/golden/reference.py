"""References: a file for each machine, since only the same machine rounds in the same way."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from pathlib import Path
from typing import Any

import jax
import jaxlib
import numpy as np

from tests.golden.trajectory import Trajectory

FOLDER = Path(__file__).parent / "references"


def machine() -> dict[str, str]:
    """What the last bit of a result depends on."""
    return {
        "jax": jax.__version__,
        "jaxlib": jaxlib.__version__,
        "numpy": np.__version__,
        "processor": _about_processor("model name") or platform.machine(),
        "abilities": _digest(_about_processor("flags") or platform.processor()),
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
    }


def machine_key() -> str:
    """The name of this machine's file."""
    about = json.dumps(machine(), sort_keys=True)
    return f"jax-{jax.__version__}-{_digest(about)}"


def _about_processor(field: str) -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(field)), "")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read(key: str) -> dict[str, Trajectory]:
    """The cases recorded on a machine; none: never seen."""
    path = FOLDER / f"{key}.json"
    return json.loads(path.read_text())["cases"] if path.exists() else {}


def read_any(name: str) -> Trajectory | None:
    """A case as some other machine recorded it."""
    found = [read(path.stem) for path in sorted(FOLDER.glob("*.json"))]
    return next((cases[name] for cases in found if name in cases), None)


def write(cases: dict[str, Trajectory]) -> Path:
    """This machine's file, one line for each case so that a change is seen as such."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{machine_key()}.json"
    lines = [f'"{name}": {_compact(cases[name])}' for name in sorted(cases)]
    path.write_text(f'{{"machine": {_compact(machine())},\n"cases": {{\n{_joined(lines)}\n}}}}\n')
    return path


def _compact(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


def _joined(lines: list[str]) -> str:
    return ",\n".join(lines)
