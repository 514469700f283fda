"""Pytrees as safetensors: names are tree paths, and loading never runs code."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from depo.core.errors import DepoError, readable
from depo.core.files import check_plain_file, write_bytes
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


DTYPES = {
    "BOOL": "bool",
    "F32": "float32",
    "F64": "float64",
    "I32": "int32",
    "I64": "int64",
    "U8": "uint8",
    "U32": "uint32",
}
"""What the format calls the dtypes of our arrays."""
ROOM = 1 << 24
"""Bytes that a file may have beyond four times its arrays, so that other shapes are told apart."""


def named_arrays(tree: Any) -> dict[str, np.ndarray]:
    """Every array of a pytree by its path; random keys as their key data."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(tree, eqx.is_array))
    return {_name(path): np.asarray(_plain(leaf)) for path, leaf in leaves}


def as_bytes(tree: Any) -> bytes:
    """All arrays of a pytree, as a file holds them."""
    arrays = {name: np.array(array, order="C") for name, array in named_arrays(tree).items()}
    return save(arrays, metadata={FORMAT.key: str(FORMAT.current)})


def save_tree(path: Path, tree: Any) -> None:
    """Write all arrays of a pytree, atomically."""
    write_bytes(path, as_bytes(tree))


def load_tree(path: Path, skeleton: Tree) -> Tree:
    """Fill a skeleton (arrays, or shapes from ``eqx.filter_eval_shape``) after checking it fits:
    names, shapes and dtypes before anything is read, then that every number is finite."""
    check_plain_file(path, "safetensors")
    check_file_size(path, skeleton)
    arrays, rest = eqx.partition(skeleton, _is_array_like)
    try:
        with safe_open(path, "np") as file:
            stored = _stored_names(file, path)
            wanted = jax.tree_util.tree_map_with_path(
                lambda at, leaf: _fitting(file, stored, _name(at), leaf, path), arrays
            )
            if stored:
                name = readable(min(stored))
                raise DepoError(f"{path} has an unknown array '{name}': made by another version?")
            filled = jax.tree.map(
                lambda name, leaf: _filled(file, name, leaf, path), wanted, arrays
            )
    except (SafetensorError, OSError, ValueError, LookupError, TypeError) as error:
        said = readable(str(error))
        raise DepoError(f"{path} is not a readable safetensors file: {said}") from None
    return eqx.combine(filled, rest)


def _stored_names(file: Any, path: Path) -> dict[str, str]:
    """What the arrays are called in the newest format: what they are called in the file."""
    said = (file.metadata() or {}).get(FORMAT.key, "1")
    number = int(said) if said.isdecimal() and len(said) < 9 else said
    return FORMAT.migrated({name: name for name in file.keys()} | {FORMAT.key: number}, str(path))  # noqa: SIM118


def _fitting(file: Any, stored: dict[str, str], name: str, leaf: Any, path: Path) -> str:
    """What an array is called in the file, which has it as the skeleton wants it."""
    if name not in stored:
        raise DepoError(f"{path} has no array '{name}': it belongs to other settings")
    own = stored.pop(name)
    about, expected = file.get_slice(own), _plain_shape(leaf)
    dtype, shape = DTYPES.get(about.get_dtype()), tuple(about.get_shape())
    if shape != expected.shape or dtype != expected.dtype.name:
        raise DepoError(
            f"{path}: '{name}' is {dtype or readable(about.get_dtype())}{list(shape)}, "
            f"expected {expected.dtype}{list(expected.shape)}"
        )
    return own


def _filled(file: Any, name: str, leaf: Any, path: Path) -> Any:
    array = file.get_tensor(name)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise DepoError(
            f"{path}: '{name}' holds NaN or infinite numbers: its training diverged, or the file "
            "is damaged"
        )
    value = jnp.array(array)  # a copy: JAX must never alias a NumPy buffer
    return jax.random.wrap_key_data(value) if _is_key(leaf) else value


def check_file_size(path: Path, skeleton: Any) -> None:
    """Refuse a file that is far larger than the skeleton's arrays, before anybody reads all of it:
    a million names take long to parse, and a hole of a terabyte, which takes no room on a disk,
    takes hours."""
    arrays = [_plain_shape(leaf) for leaf in jax.tree.leaves(skeleton) if _is_array_like(leaf)]
    needed = sum(math.prod(array.shape) * array.dtype.itemsize for array in arrays)
    if (found := path.stat().st_size) > 4 * needed + ROOM:
        raise DepoError(
            f"{path} has {found:,} bytes, its arrays should take {needed:,}: damaged, or another's?"
        )


def digest(tree: Any) -> str:
    """A fingerprint of all weights: equal if and only if every bit is."""
    sha = hashlib.sha256()
    for name, array in sorted(named_arrays(tree).items()):
        sha.update(f"{name}{array.dtype}{array.shape}".encode())
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()


def _is_array_like(leaf: Any) -> bool:
    return eqx.is_array(leaf) or isinstance(leaf, jax.ShapeDtypeStruct)


def _is_key(leaf: Any) -> bool:
    return bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def _plain(leaf: Any) -> Any:
    return jax.random.key_data(leaf) if _is_key(leaf) else leaf


def _plain_shape(leaf: Any) -> Any:
    return jax.eval_shape(jax.random.key_data, leaf) if _is_key(leaf) else leaf


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator="/")
