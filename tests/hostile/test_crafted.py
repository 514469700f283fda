"""Files and folders that somebody made with care: what chance damage does not come upon."""

from __future__ import annotations

import io
import json
import os
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.core.files import json_digest, read_object, read_toml
from depo.core.npz import read_npz
from depo.data.demonstrations import Demonstrations
from depo.models.folder import load_planner
from depo.runs.checkpoints import CHECKPOINTS, PROGRESS
from depo.runs.run import METRICS, TIMING, Run
from tests.hostile.kinds import demonstrations, make_models, make_run, skeleton

TERABYTE = 1 << 40
WEIGHTS = "weights.safetensors"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    make_models(folder)
    return folder


@pytest.fixture
def planner(models: Path, tmp_path: Path) -> Path:
    """A planner of somebody who has left the digest out, as folders from before have none."""
    folder = shutil.copytree(models / "planner", tmp_path / "planner")
    said = json.loads((folder / "settings.json").read_text())
    del said["weights"]
    (folder / "settings.json").write_text(json.dumps(said | {"format": 2}))
    load_planner(folder)
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Run:
    make_run(tmp_path)
    return Run.open(tmp_path / "run")


def with_header(file: Path, change: Callable[[dict[str, Any]], object], more: bytes = b"") -> None:
    """A safetensors file whose header says other things."""
    data = file.read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:begin])
    change(header)
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + data[begin:] + more)


def all_at_the_beginning(header: dict[str, Any]) -> None:
    for about in header.values():
        if "data_offsets" in about:
            begin, end = about["data_offsets"]
            about["data_offsets"] = [0, end - begin]


def giant(header: dict[str, Any]) -> None:
    header["network/weights/0"]["shape"] = [2**62, 2**62]


@pytest.mark.parametrize("change", [all_at_the_beginning, giant])
def test_a_header_of_weights_that_lies_is_refused(change: Any, planner: Path) -> None:
    with_header(planner / WEIGHTS, change)
    with pytest.raises(DepoError, match="not a readable safetensors file"):
        load_planner(planner)


def test_bytes_that_no_array_has_are_refused(planner: Path) -> None:
    with_header(planner / WEIGHTS, lambda header: None, b"\0" * 64)
    with pytest.raises(DepoError, match="not a readable safetensors file"):
        load_planner(planner)


@pytest.mark.parametrize("length", [2**63, 99_000_000])
def test_a_header_longer_than_the_file_is_refused(length: int, planner: Path) -> None:
    (planner / WEIGHTS).write_bytes(struct.pack("<Q", length) + b"{}")
    with pytest.raises(DepoError, match="not a readable safetensors file"):
        load_planner(planner)


def test_a_header_of_very_many_names_is_not_parsed(planner: Path) -> None:
    entry = b'"a%07d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    text = b"{" + b",".join(entry % i for i in range(300_000)) + b"}"
    (planner / WEIGHTS).write_bytes(struct.pack("<Q", len(text)) + text)
    with pytest.raises(DepoError, match="bytes, its arrays should take"):
        load_planner(planner)


def test_weights_that_are_a_hole_are_not_read(planner: Path) -> None:
    os.truncate(planner / WEIGHTS, TERABYTE)
    with pytest.raises(DepoError, match="bytes, its arrays should take"):
        load_planner(planner)


def test_a_checkpoint_that_is_a_hole_is_not_read(run: Run) -> None:
    os.truncate(run.latest()[0], TERABYTE)
    with pytest.raises(DepoError, match="; remove that checkpoint's folder"):
        run.load(skeleton())


def test_metrics_that_are_a_hole_are_not_read(run: Run) -> None:
    """A checkpoint of somebody who knows how its digest is made says that this is how it was."""
    with (run.path / METRICS).open("r+b") as file:
        file.seek(TERABYTE - 1)
        file.write(b"\n")
    (checkpoint,) = (run.path / CHECKPOINTS).iterdir()
    said = read_object(checkpoint / PROGRESS) | {"metrics_bytes": TERABYTE, "own": ""}
    own = json_digest({name: value for name, value in said.items() if name != "format"})
    (checkpoint / PROGRESS).write_text(json.dumps(said | {"own": own}))
    with pytest.raises(DepoError, match="is not as the last checkpoint left it"):
        run.check(run.latest()[1])
    with pytest.raises(DepoError, match="bytes of CSV: damaged"):
        run.metrics()


def test_metrics_of_very_many_short_rows_are_not_read(run: Run) -> None:
    (run.path / METRICS).write_text("seed,env_steps\n" + "0,64\n" * 3_000_000)
    with pytest.raises(DepoError, match=r"read into a table, takes 2.* GiB in memory"):
        run.metrics()


def test_what_is_appended_to_is_no_file_of_others(run: Run, tmp_path: Path) -> None:
    """A hard link is no link that could be seen and refused, and backups are made of them."""
    others = {name: tmp_path / f"other-{name}" for name in (METRICS, TIMING)}
    for name, other in others.items():
        os.link(run.path / name, other)
    before = {name: other.read_bytes() for name, other in others.items()}
    run.cut_back(run.latest()[1])
    run.log([{"seed": 0, "env_steps": 384, "success": 1.0, "skill_loss": 0.0}])
    run.log_time(384, 1.0)
    assert {name: other.read_bytes() for name, other in others.items()} == before
    assert len((run.path / METRICS).read_bytes()) > len(before[METRICS])


@pytest.mark.parametrize("place", ["", "shape", "origin"])
def test_a_name_that_stands_twice_is_refused(place: str, planner: Path) -> None:
    """Programs differ in which of the two they take, and so might a card and its reader."""
    text = (planner / "settings.json").read_text()
    at = text.index("{", text.index(f'"{place}"')) if place else 0
    name = {"": "kind", "shape": "sees", "origin": "seed"}[place]
    (planner / "settings.json").write_text(f'{text[: at + 1]}"{name}": 1, {text[at + 1 :]}')
    with pytest.raises(DepoError, match=f"settings.json says '{name}' twice"):
        load_planner(planner)


def test_a_name_that_stands_twice_among_very_many_is_found_at_once(tmp_path: Path) -> None:
    names = ",".join(f'"a{i}":1' for i in range(200_000))
    (tmp_path / "a.json").write_text(f'{{{names},"a7":2}}')
    with pytest.raises(DepoError, match="says 'a7' twice"):
        read_object(tmp_path / "a.json")


@pytest.mark.parametrize("text", ["[" * 1_000_000, '{"a":' * 500_000])
def test_json_without_end_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(DepoError, match="is not readable JSON"):
        read_object(tmp_path / "a.json")


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 50_000, "a = " + "{b=" * 20_000, "[[a]]\n[[a.b]]\n" * 3, "n = " + "9" * 9_999],
)
def test_toml_without_end_is_refused_or_plain(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(text)
    if text.startswith("[["):
        assert len(read_toml(tmp_path / "a.toml")["a"]) == 3
        return
    with pytest.raises(DepoError, match="is not readable TOML"):
        read_toml(tmp_path / "a.toml")


def npy(array: np.ndarray) -> bytes:
    data = io.BytesIO()
    np.save(data, array)
    return data.getvalue()


def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    demonstrations().save(tmp_path / "a.npz")
    with (
        zipfile.ZipFile(tmp_path / "a.npz", "a") as archive,
        pytest.warns(UserWarning, match="Duplicate name"),
    ):
        archive.writestr("observations.npy", npy(np.zeros((12, 3))))
    with pytest.raises(DepoError, match="holds two arrays of one name"):
        Demonstrations.load(tmp_path / "a.npz")


def test_members_that_lead_elsewhere_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    demonstrations().save(tmp_path / "in" / "a.npz")
    with zipfile.ZipFile(tmp_path / "in" / "a.npz", "a") as archive:
        archive.writestr("../evil.npy", npy(np.zeros(3)))
    Demonstrations.load(tmp_path / "in" / "a.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_members_that_share_their_bytes_count_each(tmp_path: Path) -> None:
    """As in a bomb that needs no second archive: one deflated block under many names."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy(np.zeros(5_000_000)))
    data = (tmp_path / "a.npz").read_bytes()
    end = data.rfind(b"PK\x05\x06")
    begin = struct.unpack_from("<I", data, end + 16)[0]
    names = [bytes([ord("a") + i]) for i in range(26)]
    entries = b"".join(data[begin:end].replace(b"a.npy", name + b".npy") for name in names)
    tail = bytearray(data[end:])
    struct.pack_into("<HHI", tail, 8, 26, 26, len(entries))
    (tmp_path / "a.npz").write_bytes(data[:begin] + entries + tail)
    with pytest.raises(DepoError, match=r"damaged\?|times|GiB"):
        read_npz(tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["settings.json", WEIGHTS])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_pipe_or_a_folder_in_place_of_a_file_is_refused(
    name: str, make: Callable[[Path], None], planner: Path
) -> None:
    (planner / name).unlink()
    make(planner / name)
    with pytest.raises(DepoError, match=r"no plain file|Is a directory"):
        load_planner(planner)


@pytest.mark.parametrize("name", ["x" * 5_000, "a\0b", "x" * 300])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    for load in (load_planner, Run.open, Demonstrations.load):
        with pytest.raises((DepoError, OSError)) as error:
            load(Path(name))
        assert "\n" not in str(error.value)
