"""Pytrees as safetensors: names are tree paths, and loading never runs code."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from depo.core.errors import DepoError
from depo.core.files import write_bytes
from depo.core.formats import Data, Format

Tree = TypeVar("Tree")


def _since_2(old: Data) -> Data:
    """A part called 'standard' is called 'normaliser'."""
    parts = {name: name.split("/") for name in old}
    return {
        "/".join("normaliser" if part == "standard" else part for part in parts[name]): array
        for name, array in old.items()
    }


FORMAT = Format("file of weights", (_since_2,))
"""Its data are the arrays by their names."""


def named_arrays(tree: Any) -> dict[str, np.ndarray]:
    """Every array of a pytree by its path; random keys as their key data."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(tree, eqx.is_array))
    return {_name(path): np.asarray(_plain(leaf)) for path, leaf in leaves}


def save_tree(path: Path, tree: Any) -> None:
    """Write all arrays of a pytree, atomically."""
    arrays = {name: np.array(array, order="C") for name, array in named_arrays(tree).items()}
    write_bytes(path, save(arrays, metadata={FORMAT.key: str(FORMAT.current)}))


def load_tree(path: Path, skeleton: Tree) -> Tree:
    """Fill a skeleton (arrays, or shapes from ``eqx.filter_eval_shape``) after checking it fits."""
    stored = _read(path)

    def fill(leaf_path: Any, leaf: Any) -> Any:
        name = _name(leaf_path)
        if name not in stored:
            raise DepoError(f"{path} has no array '{name}': it belongs to other settings")
        array = stored.pop(name)
        is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        expected = jax.eval_shape(jax.random.key_data, leaf) if is_key else leaf
        if array.shape != expected.shape or array.dtype != expected.dtype:
            raise DepoError(
                f"{path}: '{name}' is {array.dtype}{list(array.shape)}, "
                f"expected {expected.dtype}{list(expected.shape)}"
            )
        value = jnp.array(array)  # a copy: JAX must never alias a NumPy buffer
        return jax.random.wrap_key_data(value) if is_key else value

    arrays, rest = eqx.partition(skeleton, _is_array_like)
    filled = jax.tree_util.tree_map_with_path(fill, arrays)
    if stored:
        raise DepoError(f"{path} has an unknown array '{min(stored)}': made by another version?")
    return eqx.combine(filled, rest)


def digest(tree: Any) -> str:
    """A fingerprint of all weights: equal if and only if every bit is."""
    sha = hashlib.sha256()
    for name, array in sorted(named_arrays(tree).items()):
        sha.update(f"{name}{array.dtype}{array.shape}".encode())
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()


def _read(path: Path) -> dict[str, np.ndarray]:
    try:
        with safe_open(path, "np") as file:
            said = (file.metadata() or {}).get(FORMAT.key, "1")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise DepoError(f"{path} does not exist") from None
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise DepoError(f"{path} is not a readable safetensors file: {error}") from None
    number = int(said) if said.isdecimal() else said
    return FORMAT.migrated({**arrays, FORMAT.key: number}, str(path))


def _is_array_like(leaf: Any) -> bool:
    return eqx.is_array(leaf) or isinstance(leaf, jax.ShapeDtypeStruct)


def _plain(leaf: Any) -> Any:
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if is_key else leaf


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator="/")
