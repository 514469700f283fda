"""Files for ``--config``."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.cli.config import peek, read_config, toml_value
from depo.core.errors import DepoError

plain = st.one_of(
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=("Cs",))),
)


@given(st.one_of(plain, st.lists(plain)))
def test_what_is_written_reads_back(value: object) -> None:
    again = tomllib.loads(f"x = {toml_value(value)}")["x"]
    assert again == value
    assert type(again) is type(value)


def test_what_toml_has_no_word_for_is_refused() -> None:
    for value in (None, float("nan"), object()):
        with pytest.raises(DepoError, match="cannot be written"):
            toml_value(value)


def test_tables_only_group(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("a = 1\n[x]\nb = 2\n[x.y]\nc = [3]")
    assert read_config(str(file)) == {"a": 1, "b": 2, "c": [3]}
    assert read_config("") == {}


def test_a_module_in_an_argument_of_an_environment_is_for_you_to_name(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('env_args = ["inner=evil:X-v0", "walls=3,0:3,5"]')
    said = r"module 'evil' .*: nothing .* write --env-args inner=evil:X-v0 walls=3,0:3,5 yourself"
    with pytest.raises(DepoError, match=said):
        read_config(str(file))
    for own in (["--env-args", "inner=mine:X-v0"], ["--env_args=k=4"], ["--trust"]):
        assert "env_args" in read_config(str(file), own)
    file.write_text('env_args = ["walls=3,0", "map_name=4x4", "k=0.5"]')
    assert read_config(str(file)) == {"env_args": ["walls=3,0", "map_name=4x4", "k=0.5"]}


@pytest.mark.parametrize(
    "value",
    ["xml=./a.xml", "xml=/etc/passwd", "xml=~/a", r"xml=\\host\\a", "url=http://x", "xml=.a",
     'x={"a": ["..\\/b"]}', r'xml="\u002fetc/passwd"'],
)  # fmt: skip
def test_a_file_in_an_argument_of_an_environment_is_for_you_to_name(
    value: str, tmp_path: Path
) -> None:
    """A run's folder that says the same is refused; a file for --config had it opened."""
    file = tmp_path / "a.toml"
    file.write_text(f"env_args = ['k=3', '{value}']")
    with pytest.raises(DepoError, match=r"a file or an address .*: nothing was imported or opened"):
        read_config(str(file))
    for own in (["--env-args", value], ["--trust"]):
        assert "env_args" in read_config(str(file), own)


def test_the_last_of_a_repeated_flag_is_seen() -> None:
    assert peek(["--env", "a", "--env=b", "--other"], "--env") == "b"
    assert peek(["--env"], "--env") == ""
