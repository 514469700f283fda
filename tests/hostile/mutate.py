"""Damage to files, determined by a generator: of any bytes, of texts, of what is inside formats."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.mutations import OTHERS, at, paths

Bytes = Callable[[bytes, random.Random], bytes]
NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_][\w-]*")
NUMBERS = (
    *(b"NaN", b"nan", b"Infinity", b"-inf", b"-1", b"0", b"1e308", b"-1e308", b"1e999", b"1e-320"),
    *(b"9" * 30, b"2147483648", b"9223372036854775808", b"1" * 5_000, b"[]", b'"x"', b"null"),
    *(b"true", b"{}", b"1.5", b"0x10", b"+", b"", b"1_000", b"-0.0", b"\xc2\xb2"),
)
TEXTS = (
    *(b"\x00", b"\x1b[2J", b"\r", b"\n\n", b"\xff\xfe", b"\xed\xa0\x80", b"$\\frac$", b"[bold]"),
    *(b"\xe2\x80\xae", b"../../x", b"a" * 70_000, b'"', b"'", b",", b";", b"\\u0000", b"=", b"#"),
    *(b"[" * 2_000, b'{"a":' * 500, b"a." * 500, "\N{GREEK SMALL LETTER ALPHA}".encode()),
)
DTYPES = ("f2", "f4", "f8", "i1", "i8", "u1", "u8", "?", "c8", "U3", "S4", "M8[s]", "f16")
MORE = (1e308, -1e308, 2**63, 2**31, 0, -0.0, 1e-320, "$\\frac{1}$", "\x1b[2J", "a" * 9_999)
VALUES = (float("nan"), float("inf"), -1.0, 0.0, 1e30, 3e38, 1e300, -1e-40, 2.0**40)


def flip(data: bytes, rng: random.Random) -> bytes:
    """Some bits are others, near each other or not."""
    damaged = bytearray(data)
    near = rng.randrange(len(damaged))
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        beside = min(near + rng.randrange(8), len(data) - 1)
        place = rng.choice((rng.randrange(len(damaged)), beside))
        damaged[place] = rng.choice((damaged[place] ^ (1 << rng.randrange(8)), rng.randrange(256)))
    return bytes(damaged)


def cut(data: bytes, rng: random.Random) -> bytes:
    """The end is missing, or the beginning."""
    place = rng.randrange(len(data))
    return data[:place] if rng.random() < 0.8 else data[place:]


def block(data: bytes, rng: random.Random) -> bytes:
    """A block is there twice, missing, zero, or elsewhere."""
    size = min(len(data), rng.choice((1, 4, 16, 64, 512, 4096, 8192)))
    begin = rng.randrange(max(1, len(data) - size)) // size * size
    end, piece = begin + size, data[begin : begin + size]
    other = rng.randrange(len(data))
    return rng.choice(
        (
            data[:end] + piece + data[end:],
            data[:begin] + data[end:],
            data[:begin] + bytes(len(piece)) + data[end:],
            data[:begin] + b"\xff" * len(piece) + data[end:],
            data[:other] + piece + data[other + len(piece) :],
            data + piece,
        )
    )


def word(data: bytes, rng: random.Random) -> bytes:
    """A number in binary is a large one, or below zero."""
    size = rng.choice((2, 4, 8))
    begin = rng.randrange(max(1, len(data) - size))
    value = rng.choice((0, 1, 2**31 - 1, 2**31, 2**40, 2**62, 2**63, -1, len(data) * 2))
    return data[:begin] + (value % 2 ** (8 * size)).to_bytes(size, "little") + data[begin + size :]


def text(data: bytes, rng: random.Random) -> bytes:
    """A number, a name or a line of a text is another, or goes, or comes twice."""
    lines = data.split(b"\n")
    line = rng.randrange(len(lines))
    match rng.randrange(6):
        case 0 | 1 if found := list(NUMBER.finditer(data)):
            own = rng.choice(found)
            return data[: own.start()] + rng.choice(NUMBERS) + data[own.end() :]
        case 2 if found := list(WORD.finditer(data)):
            own, other = rng.choice(found), rng.choice(found)
            with_what = rng.choice((other[0], other[0], *TEXTS))
            return data[: own.start()] + with_what + data[own.end() :]
        case 3:
            place = rng.randrange(len(data) + 1)
            return data[:place] + rng.choice(TEXTS) + data[place:]
        case 4:
            return b"\n".join([*lines[:line], *lines[line + 1 :]])
    return b"\n".join([*lines[: line + 1], *lines[line : line + rng.choice((1, 3))], *lines[line:]])


def plain(value: Any, rng: random.Random) -> Any:
    """Of plain data: a value is another, is gone, has changed places, or is deep inside lists."""
    every = list(paths(value))
    if not every:
        return value
    path = rng.choice(every)
    holder = at(value, path[:-1])
    match rng.randrange(6):
        case 0:
            del holder[path[-1]]
        case 1 if isinstance(holder, dict):
            holder[rng.choice(("unheard of", "", "\x1b[2J", "format", "$x$"))] = holder[path[-1]]
        case 2:
            holder[path[-1]] = json.loads(json.dumps(at(value, rng.choice(every))))
        case 3:
            deep: Any = holder[path[-1]]
            for _ in range(rng.choice((1, 2, 70, 900))):
                deep = [deep] if rng.random() < 0.9 else {"a": deep}
            holder[path[-1]] = deep
        case 4:
            many = rng.choice((2, 100, 30_000))
            holder[path[-1]] = [holder[path[-1]]] * many
        case _:
            holder[path[-1]] = rng.choice((*OTHERS, *MORE))
    return value


def in_json(data: bytes, rng: random.Random) -> bytes:
    """JSON that is well-formed, and says other things."""
    return json.dumps(plain(json.loads(data), rng)).encode()


def array(own: np.ndarray, rng: random.Random) -> np.ndarray:
    """An array of another dtype, shape or content."""
    generator = np.random.default_rng(rng.getrandbits(32))
    match rng.randrange(6):
        case 0 if own.dtype.kind not in "US":
            with np.errstate(all="ignore"):
                return own.astype(rng.choice(DTYPES), copy=True)
        case 1:
            if not own.ndim:
                return np.array([own, own])
            return rng.choice(
                (own[None], own[..., None], own.reshape(-1), own.T, own[:0], own[..., :0])
            )
        case 2 if own.ndim:
            return np.concatenate([own, own[: rng.choice((1, len(own)))]])
        case 3 if own.ndim:
            return own[: rng.randrange(len(own) + 1)]
        case 4 if own.dtype.kind in "iu" and own.size:
            changed = own.copy()
            limits = np.iinfo(own.dtype)
            value = rng.choice((limits.min, limits.max, 0, limits.max // 2, 1))
            changed.reshape(-1)[generator.integers(own.size)] = value
            return changed
    if own.dtype.kind != "f" or not own.size:
        is_number = own.dtype.kind in "iuf" and own.ndim
        return own[::-1] * 2 if is_number else np.array(rng.choice(VALUES))
    changed = own.astype("f8") if rng.random() < 0.3 else own.copy()
    with np.errstate(all="ignore"):
        changed.reshape(-1)[generator.integers(own.size)] = rng.choice(VALUES)
    return changed


def arrays(own: Mapping[str, np.ndarray], rng: random.Random) -> dict[str, np.ndarray]:
    """One of some arrays is another, missing, or called otherwise."""
    name, changed = rng.choice(sorted(own)), dict(own)
    match rng.randrange(5):
        case 0:
            del changed[name]
        case 1:
            changed[rng.choice(("unheard of", *sorted(own)))] = changed.pop(name)
        case _:
            changed[name] = array(own[name], rng)
    return changed


def in_npz(data: bytes, rng: random.Random) -> bytes:
    """An archive that is whole, with other arrays, or another text in it."""
    with np.load(io.BytesIO(data)) as file:
        own = dict(file)
    said = [name for name, each in own.items() if each.dtype.kind == "U" and not each.ndim]
    if said and rng.random() < 0.4:
        own[said[0]] = np.array(in_json(str(own[said[0]]).encode(), rng).decode())
    else:
        own = arrays(own, rng)
    buffer = io.BytesIO()
    np.savez(buffer, **own)  # type: ignore[arg-type]
    return buffer.getvalue()


def in_safetensors(data: bytes, rng: random.Random) -> bytes:
    """A file that is whole, with other arrays, or with another header."""
    from safetensors.numpy import load, save

    if rng.random() < 0.5:
        size = int.from_bytes(data[:8], "little")
        header = in_json(data[8 : 8 + size], rng)
        return len(header).to_bytes(8, "little") + header + data[8 + size :]
    about = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")]).get("__metadata__")
    changed = arrays(load(data), rng).items()
    known = {n: a for n, a in changed if a.dtype.kind in "fiub" and a.dtype.itemsize <= 8}
    kept = {name: np.ascontiguousarray(own) for name, own in known.items()}
    return save(kept, about if rng.random() < 0.7 else None)


def in_parquet(data: bytes, rng: random.Random) -> bytes:
    """A table that is whole, with another column or other names."""
    import polars as pl

    table = pl.read_parquet(io.BytesIO(data))
    name = rng.choice(table.columns)
    other = rng.choice((pl.String, pl.Int8, pl.Boolean, pl.Float32, pl.Null))
    changed = (
        lambda: table.drop(name),
        lambda: table.rename({name: "unheard of"}),
        lambda: table.with_columns(pl.col(name).cast(other, strict=False)),
        lambda: table.with_columns(pl.lit(rng.choice(VALUES)).alias(name)),
        lambda: table.with_columns(pl.col(name).implode().over(name)),
        lambda: table.head(rng.choice((0, 1, 2))),
    )
    buffer = io.BytesIO()
    try:
        rng.choice(changed)().write_parquet(buffer)
    except pl.exceptions.PolarsError:  # a list is cast to no number
        table.drop(name).write_parquet(buffer)
    return buffer.getvalue()


def in_hdf5(data: bytes, rng: random.Random) -> bytes:
    """A file that is whole, with another dataset or attribute in it."""
    import h5py

    buffer = io.BytesIO(data)
    with h5py.File(buffer, "r+") as file:
        found: list[Any] = []
        file.visititems(lambda _, each: found.append(each))
        own = rng.choice(found)
        if isinstance(own, h5py.Dataset) and rng.random() < 0.8:
            where, values = own.name, own[()]
            del file[where]
            changed = array(np.asarray(values), rng)
            if changed.dtype.kind not in "UM":
                file[where] = changed
        elif own.attrs and rng.random() < 0.7:
            own.attrs[rng.choice(sorted(own.attrs))] = rng.choice((-1, 10**12, 0, "x", 1e308))
        else:
            del file[own.name]
    return buffer.getvalue()


ANY: tuple[Bytes, ...] = (flip, flip, cut, block, block, word)
INSIDE: dict[str, tuple[Bytes, ...]] = {
    ".npz": (in_npz,),
    ".safetensors": (in_safetensors,),
    ".json": (in_json, in_json, text),
    ".toml": (text,),
    ".csv": (text,),
    ".txt": (text,),
    ".md": (text,),
    ".parquet": (in_parquet,),
    ".hdf5": (in_hdf5,),
}


def mutate_file(path: Path, others: list[Path], rng: random.Random) -> str:
    """Damage one file of a folder; what was done."""
    data = path.read_bytes()
    if rng.random() < 0.06:
        return _whole(path, data, others, rng)
    inside = INSIDE.get(path.suffix, ())
    ways = inside if inside and rng.random() < 0.55 else ANY
    done = []
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        way = rng.choice(ways) if not done else rng.choice(ANY)
        if data:
            data = way(data, rng)
            done.append(way.__name__)
    if rng.random() < 0.03:
        other = rng.choice(others).read_bytes()
        data, done = data[: len(data) // 2] + other[len(other) // 2 :], [*done, "splice"]
    path.write_bytes(data)
    return f"{path.name}: {', '.join(done)}"


def _whole(path: Path, data: bytes, others: list[Path], rng: random.Random) -> str:
    """The file is missing, empty, a folder, or another's content."""
    match rng.randrange(5):
        case 0:
            path.unlink()
        case 1:
            path.write_bytes(b"")
        case 2:
            path.unlink()
            path.mkdir()
        case 3:
            path.write_bytes(rng.choice(others).read_bytes())
        case _:
            path.write_bytes(data * 3)
    return f"{path.name}: as a whole"
