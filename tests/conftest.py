from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("DEPO_CACHE", str(Path(".pytest_cache/depo").resolve()))
os.environ.setdefault("COLUMNS", "200")

settings.register_profile(
    "depo", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("depo")


@pytest.fixture(scope="session", autouse=True)
def _compiled_programs_are_kept() -> None:
    from depo.runtime import prepare_jax

    prepare_jax()


@pytest.fixture(scope="module", autouse=True)
def _compiled_programs_are_let_go() -> Iterator[None]:
    """Each is mapped into memory, and Linux gives a process 65,530 mappings: beyond them XLA
    crashes."""
    yield
    jax.clear_caches()


@pytest.fixture
def tiny() -> dict[str, object]:
    """Settings that make a run of seconds: a 3×3 world and small networks."""
    return {"size": 3, "horizon": 8, "hidden": 32, "batch_steps": 64, "checkpoint_every": 4}
