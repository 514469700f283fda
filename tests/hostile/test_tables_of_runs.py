"""A table of runs is a file that anybody may have written: what it says becomes words of a command
line, and none of them may be one that only the user says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from depo.cli.run_table import plan_of
from depo.core.errors import DepoError

ROW = '[runs.a]\nmethod = "depo"\nsteps = 640\n'
FLAG, TWICE, MODULE = "which is a flag", "is no name of a setting, or is there twice", "the module"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('env_args = ["size=3", "--env=evil_module:X-v0"]', MODULE),
        ('env_args = ["size=3", "--env", "evil_module:X-v0"]', MODULE),
        ('env-args = ["size=3", "--trust"]', FLAG),
        ('env_args = ["size=3", "--env=CartPole-v1"]', FLAG),
        ('env_args = ["--help"]', FLAG),
        ('demos = ["x", "-h"]', FLAG),
        ('"env=evil_module:X-v0 " = 1', TWICE),
        ('"steps=640 --env" = "evil_module:X-v0"', TWICE),
        ('"-h" = true', TWICE),
        ('"env-args" = ["size=3"]\nenv_args = ["size=4"]', TWICE),
        ('env = ["evil_module:X-v0"]', MODULE),
        ('env = "CartPole-v1"\nobserve = ["evil_module:f"]', MODULE),
        ('skill = ["evil_module:f"]', MODULE),
        ('env = "Wrapped-v0"\nenv_args = ["inner=evil_module:X-v0"]', MODULE),
        ('env = "Wrapped-v0"\nenv_args = [\'inner={"id": "evil_module:X-v0"}\']', MODULE),
        ('variants = ["1", "evil_module:f"]', MODULE),
        ('"dry-run" = true', "is for the whole sweep"),
    ],
)
def test_no_value_and_no_key_is_another_flag(
    line: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of these imported the module, or was about to."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil_module.py").write_text("open('imported', 'w').close()\n")
    (tmp_path / "a.toml").write_text(ROW + line)
    with pytest.raises(DepoError, match=f"a.toml.*{said}"):
        plan_of(Path("a.toml"))
    assert "evil_module" not in sys.modules
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("line", ["method = {a = 1}", "after = [1]", 'planner = ["a"]'])
def test_a_name_that_is_no_text_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f"[runs.a]\n{line}\n")
    with pytest.raises(DepoError, match=r"a.toml: run 'a': '\w+' is no text"):
        plan_of(tmp_path / "a.toml")


def test_a_list_where_one_value_is_wanted_is_a_sentence(tmp_path: Path, capsys) -> None:
    """It was a box of 160 kB."""
    (tmp_path / "a.toml").write_text(f"{ROW}hidden = [{'1,' * 50_000}]\n")
    with pytest.raises(DepoError, match="'1' belongs to no flag: --hidden takes one value"):
        plan_of(tmp_path / "a.toml")
    assert not capsys.readouterr().err


def test_lists_of_plain_words_are_values(tmp_path: Path) -> None:
    line = 'env = "CartPole-v1"\n"env-args" = ["sutton_barto_reward=true"]\n'
    (tmp_path / "a.toml").write_text(ROW.replace("640", "20_000") + line)
    job = plan_of(tmp_path / "a.toml")["a/seed-0"].job
    assert job.environment.settings.arguments == (("sutton_barto_reward", True),)
