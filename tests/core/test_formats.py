"""Versions of files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from depo.core.errors import DepoError
from depo.core.formats import Data, Format
from depo.core.weights import load_tree, save_tree


def second(old: Data) -> Data:
    return {"names": [old["name"]]}


def third(old: Data) -> Data:
    return {"people": [{"name": name} for name in old["names"]]}


PEOPLE = Format("list of people", (second, third))
NEWEST = {"people": [{"name": "Ada"}]}


@pytest.mark.parametrize(
    "stored",
    [{"format": 1, "name": "Ada"}, {"format": 2, "names": ["Ada"]}, {"format": 3, **NEWEST}],
)
def test_every_format_leads_to_the_newest(stored: Data) -> None:
    assert PEOPLE.migrated(stored, "people.json") == NEWEST


def test_a_file_is_written_in_the_newest_format(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    PEOPLE.write(file, NEWEST)
    assert json.loads(file.read_text()) == {"format": 3, **NEWEST}
    assert PEOPLE.read(file) == NEWEST


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (
            {"format": 4},
            "people.json was written by a newer depo: format 4, this one reads up to 3: update",
        ),
        ({}, "says format None, a list of people has a whole number from 1 to 3"),
        ({"format": True}, "says format True"),
        ({"format": "1"}, "says format '1'"),
        ({"format": 0}, "says format 0"),
        ({"format": 1.0}, "says format 1.0"),
        ({"format": []}, r"says format \[\]"),
        ({"format": 1}, "is not as format 1 of a list of people is: damaged"),
        ({"format": 2, "names": 3}, "is not as format 2 of a list of people is: damaged"),
    ],
)
def test_what_is_of_no_format_gets_a_sentence(stored: Data, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        PEOPLE.migrated(stored, "people.json")


def test_the_first_files_may_say_nothing_and_the_key_may_have_another_name() -> None:
    young = Format("note", unmarked=True, key="version")
    assert (
        young.migrated({"a": 1}, "note") == {"a": 1} == young.migrated({"version": 1, "a": 1}, "")
    )
    with pytest.raises(DepoError, match="newer depo: version 2, this one reads up to 1"):
        young.migrated({"version": 2}, "note")


def test_arrays_are_renamed_only_in_weights_of_the_first_format(tmp_path: Path) -> None:
    array, file = np.arange(3.0, dtype=np.float32), tmp_path / "weights.safetensors"
    save_file({"standard/mean": array}, file, {"format": "1"})
    tree = {"normaliser": {"mean": array}}
    assert load_tree(file, tree)["normaliser"]["mean"].tolist() == [0, 1, 2]
    save_tree(file, tree)
    assert load_tree(file, tree)["normaliser"]["mean"].tolist() == [0, 1, 2]
    save_file({"standard/mean": array}, file, {"format": "2"})
    with pytest.raises(DepoError, match="no array 'normaliser/mean'"):
        load_tree(file, tree)
    save_file({"standard/mean": array}, file, {"format": "7"})
    with pytest.raises(DepoError, match="newer depo: format 7, this one reads up to 2"):
        load_tree(file, tree)
    save_file({"standard/mean": array}, file, {"format": "x"})
    with pytest.raises(DepoError, match="says format 'x'"):
        load_tree(file, tree)
