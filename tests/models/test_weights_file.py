"""Weights are those that were saved, at any instant; and one flipped bit is seen."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import depo
from depo.core import files
from depo.core.weights import digest
from depo.models import card, policy_folder, weights_file
from depo.models.acting import Policy, Space
from depo.models.policy import GaussianActor
from depo.models.weights_file import WEIGHTS, DigestError, settled

Saver = Callable[[Path, int], Any]
BOX = Space.box(-np.ones(1), np.ones(1))


def planner(folder: Path, seed: int) -> Any:
    model = depo.GaussianPlanner(jax.random.key(seed), depo.Normaliser.none(2), (4,))
    depo.save_planner(folder, model)
    return model


def skill(folder: Path, seed: int) -> Any:
    model = depo.VectorSkill(jax.random.key(seed), depo.Normaliser.none(2), 1, (4,))
    depo.save_skill(folder, model)
    return model


def policy(folder: Path, seed: int) -> Any:
    model = GaussianActor(jax.random.key(seed), depo.Normaliser.none(2), 1, (4,))
    depo.save_policy(folder, Policy(model, observations=Space.vector(2), actions=BOX))
    return model


KINDS: dict[str, tuple[Saver, Callable[[Path], Any]]] = {
    "planner": (planner, depo.load_planner),
    "skill": (skill, depo.load_skill),
    "policy": (policy, lambda folder: depo.load_policy(folder).model),
}


@pytest.mark.parametrize("kind", KINDS)
def test_one_flipped_bit_of_a_number_is_refused(kind: str, tmp_path: Path) -> None:
    save, load = KINDS[kind]
    save(tmp_path, 0)
    file = tmp_path / WEIGHTS
    damaged = bytearray(file.read_bytes())
    damaged[-4] ^= 1  # the last bit of a float32: another finite number
    file.write_bytes(damaged)
    with pytest.raises(depo.DepoError, match="is not what was saved, by the digest in"):
        load(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_from_before_digests_loads(kind: str, tmp_path: Path) -> None:
    save, load = KINDS[kind]
    model, file = save(tmp_path, 0), tmp_path / "settings.json"
    stored = json.loads(file.read_text())
    assert len(stored.pop("weights")) == 1
    file.write_text(json.dumps(stored | {"format": stored["format"] - 1}))
    assert digest(load(tmp_path)) == digest(model)


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_is_written_anew_is_whole_at_any_instant(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, load = KINDS[kind]
    new, wrote = digest(save(tmp_path / "new", 1)), files.write_bytes
    found = []
    for writes in range(7):
        folder, left = tmp_path / str(writes), [writes]
        old = digest(save(folder, 0))

        def write(path: Path, data: bytes, left: list[int] = left) -> None:
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            wrote(path, data)

        with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            for module in (files, card, policy_folder, weights_file):
                patch.setattr(module, "write_bytes", write)
            save(folder, 1)
        found.append(digest(load(folder)))
        assert found[-1] in (old, new)
    assert left[0] > 0  # the last one was not cut short
    assert (found[0], found[-1]) == (old, new)
    assert len(json.loads((folder / "settings.json").read_text())["weights"]) == 1


def test_a_reader_between_the_two_files_looks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner(tmp_path, 0)
    load_tree, after = weights_file.load_tree, []

    def saving_first(*arguments: Any) -> Any:
        if not after:
            after.append(digest(planner(tmp_path, 1)))  # a run goes on, and has become better
        return load_tree(*arguments)

    monkeypatch.setattr(weights_file, "load_tree", saving_first)
    assert digest(depo.load_planner(tmp_path)) == after[0]


def test_damage_is_not_looked_at_for_ever() -> None:
    tried = []

    def load() -> None:
        tried.append(1)
        raise DigestError("damaged")

    with pytest.raises(DigestError):
        settled(load)
    assert len(tried) == 2


def test_weights_of_another_folder_are_refused(tmp_path: Path) -> None:
    for seed in (0, 1):
        planner(tmp_path / str(seed), seed)
    (tmp_path / "1" / WEIGHTS).replace(tmp_path / "0" / WEIGHTS)
    with pytest.raises(depo.DepoError, match="or another planner's, so get the folder again"):
        depo.load_planner(tmp_path / "0")
