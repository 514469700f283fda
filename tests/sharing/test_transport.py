"""Models that are handed over: whole, checked before they are placed, and nothing else."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import fsspec
import jax
import numpy as np
import pytest

import depo
from depo.core.weights import digest
from depo.models.planner import CategoricalPlanner


@pytest.fixture(scope="module")
def planner(tmp_path_factory) -> Path:
    made = CategoricalPlanner(jax.random.key(0), states=4, hidden=(8,))
    return depo.save_planner(tmp_path_factory.mktemp("own") / "planner", made)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_folder_goes_and_comes_back(planner: Path, tmp_path: Path) -> None:
    depo.push(planner, tmp_path / "shared" / "mine")
    pulled = depo.pull(tmp_path / "shared" / "mine", tmp_path / "here")
    assert contents(pulled) == contents(planner)
    assert digest(depo.load_planner(pulled)) == digest(depo.load_planner(planner))
    left = sorted(file.name for file in (*tmp_path.iterdir(), *(tmp_path / "shared").iterdir()))
    assert left == ["here", "mine", "shared"]  # nothing temporary


def test_by_fsspec_in_memory(planner: Path, tmp_path: Path) -> None:
    depo.push(planner, "memory://bucket/planner")
    assert contents(depo.pull("memory://bucket/planner", tmp_path / "here")) == contents(planner)
    with pytest.raises(depo.DepoError, match=r"bucket/planner is not empty: --force replaces it"):
        depo.push(planner, "memory://bucket/planner")
    depo.push(planner, "memory://bucket/planner", force=True)
    depo.push("zoo:grid", "memory://bucket/planner", force=True)
    names = fsspec.filesystem("memory").find("/bucket")
    assert "/bucket/planner/entry.json" in names
    assert "/bucket/planner/settings.json" not in names
    fsspec.filesystem("memory").rm("/bucket", recursive=True)


def test_out_of_an_archive(planner: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, data in contents(planner).items():
            archive.writestr(f"mine/{name}", data)
    pulled = depo.pull(f"zip://mine::{tmp_path / 'a.zip'}", tmp_path / "here")
    assert contents(pulled) == contents(planner)


def test_an_entry_of_the_zoo(tmp_path: Path) -> None:
    pulled = depo.pull("zoo:grid", tmp_path / "grid")
    assert (pulled / "README.md").is_file()
    assert depo.load_policy(pulled / "policy").act(0) == depo.load_policy("zoo:grid").act(0)


def test_what_is_there_is_replaced_only_by_force(planner: Path, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "thesis.tex").write_text("years")
    with pytest.raises(depo.DepoError, match="is not empty: --force replaces it"):
        depo.pull(planner, tmp_path / "here")
    assert (tmp_path / "here" / "thesis.tex").read_text() == "years"
    assert contents(depo.pull(planner, tmp_path / "here", force=True)) == contents(planner)
    assert (tmp_path / "here.former" / "thesis.tex").read_text() == "years"


def test_force_removes_models_and_nothing_else(planner: Path, tmp_path: Path, caplog) -> None:
    here = tmp_path / "here"
    depo.pull("zoo:grid", here)
    (here / "policy" / "notes.txt").write_text("mine")
    (tmp_path / "here.former").mkdir()
    with pytest.raises(depo.DepoError, match=r"no planner, .* \(it holds 'planner'\): --force"):
        depo.pull(planner, here, force=True)
    (here / "policy" / "notes.txt").unlink()
    (tmp_path / "link").symlink_to(here)
    for _ in range(2):
        depo.pull(planner, tmp_path / "link", force=True)
        assert contents(here) == contents(planner)
    (here / "notes.txt").write_text("mine")
    depo.pull(planner, here, force=True)
    assert f"it is kept as {here}.former-2" in caplog.text
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["here", "here.former", "here.former-2", "link"]


@pytest.mark.parametrize("content", ["src/main.c", ".git/config", ".profile"])
def test_force_leaves_folders_that_are_more_than_a_model(
    planner: Path, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "work" / content
    file.parent.mkdir(parents=True)
    file.write_text("years")
    for target in (file.parents[-len(tmp_path.parts) - 1], f"file://{tmp_path}/work"):
        with pytest.raises(depo.DepoError, match="--force replaces"):
            depo.push(planner, target, force=True)
    assert file.read_text() == "years"
    assert [f.name for f in tmp_path.iterdir()] == ["work"]


def test_force_leaves_home_and_the_current_folder(
    planner: Path, tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "me").mkdir()
    (tmp_path / "me" / "thesis.tex").write_text("years")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    with pytest.raises(depo.DepoError, match="is your home folder, or above it"):
        depo.pull(planner, tmp_path / "me", force=True)
    monkeypatch.setenv("HOME", "/")
    monkeypatch.chdir(tmp_path / "me")
    with pytest.raises(depo.DepoError, match="is the current folder, or above it"):
        depo.pull(planner, ".", force=True)
    assert (tmp_path / "me" / "thesis.tex").read_text() == "years"


def test_what_cannot_be_replaced_stays(planner: Path, tmp_path: Path, monkeypatch) -> None:
    """The disk is full at the last instant, when the former has been moved aside."""
    here = depo.pull("zoo:grid", tmp_path / "here")
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if target == here and self.name.startswith(".here") and (self / "settings.json").exists():
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(depo.DepoError, match="No space left"):
        depo.pull(planner, here, force=True)
    assert (here / "entry.json").exists()
    assert [f.name for f in tmp_path.iterdir()] == ["here"]


def damage_weights(folder: Path) -> None:
    file = folder / "weights.safetensors"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))


def add_program(folder: Path) -> None:
    (folder / "setup.py").write_text("print('hello')")


def other_kind(folder: Path) -> None:
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | {"kind": "virus"}))


def link_away(folder: Path) -> None:
    (folder / "card.md").unlink()
    (folder / "card.md").symlink_to("/etc/hostname")


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (damage_weights, "is not what was saved, by the digest"),
        (add_program, r"'setup\.py', which no planner, skill, policy or zoo entry has"),
        (other_kind, "says kind 'virus'"),
        (link_away, "link 'card.md', which may lead anywhere"),
        (lambda folder: (folder / "weights.safetensors").unlink(), "does not exist"),
    ],
)
def test_what_is_not_whole_is_not_placed(planner: Path, tmp_path: Path, damage, sentence) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    for name, data in contents(planner).items():
        (bad / name).write_bytes(data)
    damage(bad)
    for move in (depo.pull, depo.push):
        with pytest.raises(depo.DepoError, match=sentence):
            move(bad, tmp_path / "out")
        assert [f.name for f in tmp_path.iterdir()] == ["bad"]


@pytest.mark.parametrize("name", ["../evil.md", "/evil.md", ".hidden", "a:b", "a\nb"])
def test_names_that_lead_elsewhere_are_refused(planner: Path, tmp_path: Path, name: str) -> None:
    from depo.sharing.places import checked_names

    with pytest.raises(depo.DepoError, match="which is no name of a model's file"):
        list(checked_names({"settings.json": 1, name: 1}, "there"))


def test_sizes_are_looked_at_before_anything_is_read(tmp_path: Path, monkeypatch) -> None:
    from depo.sharing import places

    monkeypatch.setattr(places, "LARGEST", 10)
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "settings.json").write_bytes(b" " * 11)
    with pytest.raises(depo.DepoError, match="has 11 bytes, at most 10 are taken"):
        depo.pull(tmp_path / "big", tmp_path / "out")
    with pytest.raises(depo.DepoError, match="has 12 bytes in all, at most 10 are taken"):
        list(places.checked_names({"card.md": 6, "settings.json": 6}, "there"))
    monkeypatch.undo()
    sizes = dict.fromkeys(map(str, np.arange(65)), 1)
    with pytest.raises(depo.DepoError, match="holds 65 files"):
        list(places.checked_names(sizes, "there"))


def test_nowhere_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match="there is nothing at"):
        depo.pull(tmp_path / "none", tmp_path / "out")
    with pytest.raises(depo.DepoError, match="cannot open 'nosuch://x'"):
        depo.pull("nosuch://x", tmp_path / "out")
