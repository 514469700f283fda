"""Weights are loaded into the tree they were saved from, and into no other."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.core.weights import digest, load_tree, named_arrays, save_tree

TREE = {"net": [jnp.arange(3.0), jnp.ones((2, 2), jnp.int32)], "key": jax.random.key(7), "n": 3}


def test_a_tree_reads_back_with_keys_and_what_is_no_array(tmp_path: Path) -> None:
    save_tree(tmp_path / "w", TREE)
    again = load_tree(tmp_path / "w", {**TREE, "key": jax.random.key(0)})
    assert digest(again) == digest(TREE)
    assert again["n"] == 3
    assert jax.random.uniform(again["key"]) == jax.random.uniform(TREE["key"])


def test_a_digest_sees_one_bit_a_name_and_a_type() -> None:
    x = np.zeros(2, np.float32)
    other = x.copy()
    other.view(np.uint32)[1] = 1
    others = [{"x": other}, {"y": x}, {"x": x.view(np.int32)}, {"x": x[None]}]
    assert len({digest(tree) for tree in ({"x": x}, *others)}) == 5
    assert named_arrays({"a": {"b": x}}).keys() == {"a/b"}


@pytest.mark.parametrize(
    ("skeleton", "message"),
    [
        ({"x": jnp.zeros(3)}, r"'x' is float32\[2\], expected float32\[3\]"),
        ({"x": jnp.zeros(2, jnp.int32)}, r"'x' is float32\[2\], expected int32\[2\]"),
        ({"x": jnp.zeros(2), "y": jnp.zeros(1)}, "has no array 'y'"),
        ({}, "has an unknown array 'x'"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, skeleton: dict, message: str) -> None:
    save_tree(tmp_path / "w", {"x": jnp.zeros(2)})
    with pytest.raises(DepoError, match=message):
        load_tree(tmp_path / "w", skeleton)


def test_what_is_no_file_of_weights_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DepoError, match="does not exist"):
        load_tree(tmp_path / "none", TREE)
    (tmp_path / "w").write_bytes(b"12345678")
    with pytest.raises(DepoError, match="is not a readable safetensors file"):
        load_tree(tmp_path / "w", TREE)
