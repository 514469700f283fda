from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("DEPO_CACHE", str(Path(".pytest_cache/depo").resolve()))
os.environ["DEPO_CONFIG"] = str(Path(".pytest_cache/depo-config").resolve())  # not the user's key
os.environ.setdefault("COLUMNS", "200")
# Most of the time goes into compiling: every program is kept, for other tests, processes and runs.
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")

import jax
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "depo", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("depo")

MAPPINGS = 20_000
"""Each compiled program is mapped into memory, and Linux gives a process 65,530 mappings: beyond
them XLA crashes."""
MEMORY = 1_000
"""MB, beyond which compiled programs are let go; to compile them again costs time."""
WORTH_IT = 3_000
"""Mappings, of which a thousand belong to libraries."""


@pytest.fixture(scope="session", autouse=True)
def _compiled_programs_are_kept() -> None:
    from depo.core.runtime import prepare_jax

    prepare_jax()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Give memory back. The compiler frees hundreds of MB in small pieces, which malloc keeps
    unless it is told; and compiled programs that no test will use again stay mapped."""
    if _resident() < MEMORY and _mappings() < MAPPINGS:
        return
    _trim()
    if _mappings() > MAPPINGS or (_resident() > MEMORY and _mappings() > WORTH_IT):
        jax.clear_caches()
        gc.collect()
        _trim()


def _resident() -> int:
    """MB of memory in use; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def _mappings() -> int:
    try:
        return Path("/proc/self/maps").read_bytes().count(b"\n")
    except OSError:
        return 0


def _trim() -> None:
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # only glibc has it
        trim(0)


@pytest.fixture(scope="module", autouse=True)
def _what_strangers_said_is_forgotten() -> Iterator[None]:
    """Names that a stranger's folder has said in one file of tests are nobody's in the next."""
    from depo.core import imports

    known = imports._allowed, imports._elsewhere, imports._strangers
    before = [kind.copy() for kind in known]
    yield
    for kind, own in zip(known, before, strict=True):
        kind.clear()
        kind.update(own)


@pytest.fixture
def tiny() -> dict[str, object]:
    """Settings that make a run of seconds: a 3×3 world and small networks."""
    return {"size": 3, "horizon": 8, "hidden": 32, "batch_steps": 64, "checkpoint_every": 4}


@pytest.fixture(autouse=True)
def _wrong_types_are_ours_to_refuse(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a test marked so, depo answers a wrong type, not the tests' type checker."""
    if request.node.get_closest_marker("wrong_types"):
        monkeypatch.setattr("tests.looks_away", True)
