"""The weights of a model's folder, and their digest in its settings.

A flipped bit may leave a number that is finite and wrong, so weights are compared with a digest.
Settings and weights are two files, and a run writes a folder anew whenever it has become better: so
that it can be read at any instant, and after a kill at any instant, the settings name both digests
while one file takes the place of the other.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import numpy as np

from depo.core.errors import DepoError
from depo.core.files import file_digest, write_bytes
from depo.core.weights import as_bytes, load_tree
from depo.models.card import SETTINGS, Digests
from depo.models.normaliser import check_statistics

Model = TypeVar("Model")
WEIGHTS = "weights.safetensors"
LARGEST = 1e12
"""Of a weight that a network can compute with."""


class DigestError(DepoError):
    """The weights are not those that the settings are of."""


def save_weights(folder: Path, tree: Any, describe: Callable[[Digests], None]) -> None:
    """Write all arrays of a model, and by ``describe`` the settings with their digest."""
    file, data = folder / WEIGHTS, as_bytes(tree)
    new = hashlib.sha256(data).hexdigest()
    old = file_digest(file) if file.is_file() else new
    if old != new:
        describe((new, old))
    write_bytes(file, data)
    describe((new,))


def load_weights(path: Path, kind: str, build: Callable[[Any], Any], digests: Digests) -> Any:
    """What ``build(key)`` makes, with the weights of a folder; refuses any that are no weights, or
    not the folder's."""
    try:
        skeleton = eqx.filter_eval_shape(build, jax.random.key(0))
    except (ValueError, TypeError, OverflowError) as error:  # sizes that no array has
        raise DepoError(f"{path} describes a {kind} that cannot be made: {error}") from None
    model = load_tree(path / WEIGHTS, skeleton)
    if digests and file_digest(path / WEIGHTS) not in digests:
        raise DigestError(
            f"{path / WEIGHTS} is not what was saved, by the digest in {SETTINGS}: it is damaged, "
            f"or another {kind}'s, so get the folder again"
        )
    check_statistics(model, path / WEIGHTS)
    weights = eqx.filter(model, eqx.is_inexact_array)
    if any(np.abs(array).max(initial=0) > LARGEST for array in jax.tree.leaves(weights)):
        raise DepoError(f"{path / WEIGHTS} holds weights beyond ±{LARGEST:g}: damaged?")
    return model


def settled(load: Callable[[], Model]) -> Model:
    """What ``load`` reads; again, if the folder was written anew between its two files."""
    with contextlib.suppress(DigestError):
        return load()
    return load()
