"""Where compiled programs are kept, and which are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from depo.core.runtime import SAFE_PATH, cache_folder, cores, prepare_jax, safe_path

MINIMUM = "jax_persistent_cache_min_compile_time_secs"


@pytest.fixture
def _settings_of_jax():
    names = (MINIMUM, "jax_compilation_cache_dir")
    before = {name: getattr(jax.config, name) for name in names}
    yield
    for name, value in before.items():
        jax.config.update(name, value)


def test_the_folder_is_the_users_choice(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DEPO_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("DEPO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "depo"


@pytest.mark.usefixtures("_settings_of_jax")
def test_small_programs_are_not_kept_unless_the_user_says_so(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DEPO_CACHE", str(tmp_path))
    jax.config.update(MINIMUM, 0.1)
    monkeypatch.setenv(MINIMUM.upper(), "0.1")
    prepare_jax()
    assert getattr(jax.config, MINIMUM) == 0.1
    assert jax.config.jax_compilation_cache_dir == str(tmp_path / "jax")
    monkeypatch.delenv(MINIMUM.upper())
    prepare_jax()
    assert getattr(jax.config, MINIMUM) == 0.5


@pytest.mark.usefixtures("_settings_of_jax")
def test_a_folder_that_cannot_be_made_costs_time_only(monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DEPO_CACHE", str(tmp_path / "file"))
    before = jax.config.jax_compilation_cache_dir
    prepare_jax()
    assert jax.config.jax_compilation_cache_dir == before
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # nobody knows a home folder
    for name in ("DEPO_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    prepare_jax()
    assert jax.config.jax_compilation_cache_dir == before


@pytest.mark.usefixtures("_settings_of_jax")
def test_a_folder_that_the_user_told_jax_of_is_left_alone(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DEPO_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "ours"))
    jax.config.update("jax_compilation_cache_dir", str(tmp_path / "mine"))
    prepare_jax()
    assert jax.config.jax_compilation_cache_dir == str(tmp_path / "mine")
    assert not (tmp_path / "ours").exists()


def test_there_is_a_core_to_run_on() -> None:
    assert 1 <= len(cores()) <= (os.cpu_count() or 1)


def test_processes_do_not_take_modules_of_the_current_folder(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "multiprocessing.py").write_text("raise SystemExit('a file of this folder')")
    start = [sys.executable, "-c", "import multiprocessing"]  # as its own processes begin
    monkeypatch.delenv(SAFE_PATH, raising=False)
    assert subprocess.run(start, cwd=tmp_path, capture_output=True, check=False).returncode
    with safe_path():
        assert not subprocess.run(start, cwd=tmp_path, check=False).returncode
    assert SAFE_PATH not in os.environ
    monkeypatch.setenv(SAFE_PATH, "1")
    with safe_path():
        pass
    assert os.environ[SAFE_PATH] == "1"
