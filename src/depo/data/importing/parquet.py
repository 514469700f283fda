"""Parquet: columns of numbers, and of lists of numbers; called in a child (``foreign.py``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from depo.core.errors import DepoError, readable
from depo.data.importing.arrays import MOST_COLUMNS, STATES, state_headers
from depo.data.importing.clock import is_time
from depo.data.importing.text import label_codes

ROWS = 1 << 18
"""Rows that are read at a time."""
DEEPEST = 8
"""Structs within each other that are taken apart."""
LOOKED_AT = 1_000
"""Rows by which the length of lists is told."""


def describe(path: Path) -> Mapping[str, Any]:
    """Columns of numbers (one for each component of a list), of words, and units of times."""
    table = _scanned(path)
    schema = table.collect_schema()
    if len(schema) > MOST_COLUMNS:
        raise DepoError(f"{path} has {len(schema):,} columns, at most {MOST_COLUMNS:,} are read")
    columns: list[str] = []
    words, units, left, nested, ragged = [], {}, list[str](), list[str](), list[str]()
    for name, kind in schema.items():
        if _is_time(kind):
            columns.append(name)
            units[name] = "s"
        elif kind.is_numeric() or kind == pl.Boolean:
            columns.append(name)
        elif kind in (pl.String, pl.Categorical):
            words.append(name)
        elif not _is_nested(kind) and getattr(getattr(kind, "inner", None), "is_numeric", bool)():
            least, most = _widths(table, name, kind)
            if most > MOST_COLUMNS:
                raise DepoError(
                    f"{path}: column '{readable(name)}' holds lists of {most:,} numbers, at most "
                    f"{MOST_COLUMNS:,} are read"
                )
            if least == most:
                columns += [f"{name}.{i}" for i in range(most)]
            else:
                ragged.append(f"{name} ({least:,} to {most:,})")
        elif _is_nested(kind):
            nested.append(name)
        else:
            left.append(name)
    notes = [f"not read: {', '.join(left)[:200]}"] if left else []
    if ragged and (all(map(is_time, columns)) or any(name.startswith(STATES) for name in ragged)):
        raise DepoError(
            f"{path}: column '{readable(ragged[0])}' holds lists of different lengths, and a state "
            "has as many numbers in each row: write one row a step, as polars' DataFrame.explode "
            "does where a row is an episode"
        )
    notes += [f"lists of different lengths: {', '.join(ragged)[:200]}"] if ragged else []
    if (nested and not columns) or any(name.startswith(STATES) for name in nested):
        raise DepoError(
            f"{path}: column '{readable(nested[0])}' holds lists of lists, as where a row is an "
            "episode: write one row a step, as polars' DataFrame.explode does"
        )
    notes += [f"lists of lists are not read: {', '.join(nested)[:200]}"] if nested else []
    state = list(state_headers(columns)) if any("." in column for column in columns) else []
    return {"columns": columns, "words": words, "units": units, "notes": notes, "state": state}


def blocks(path: Path, wanted: Sequence[str], time: str, label: str) -> Iterator[np.ndarray]:
    """Rows of the columns asked for, then time, then label."""
    table = _scanned(path)
    schema = table.collect_schema()
    names = [*wanted, *([time] if time else [])]
    columns = [_expression(name, schema).alias(f"c{i}") for i, name in enumerate(names)]
    if label:
        columns.append(_expression(label, schema, is_label=True).alias("label"))
    total = int(table.select(pl.len()).collect().item())
    for start in range(0, total, ROWS):
        rows = table.slice(start, ROWS).select(columns).collect()
        block = rows.select(pl.exclude("label")).to_numpy()
        if label:
            block = np.concatenate([block, label_codes(rows["label"])[:, None]], axis=1)
        yield np.ascontiguousarray(block, np.float64)


def _scanned(path: Path) -> pl.LazyFrame:
    """This file alone: ``walk[1].parquet`` is a pattern, too, and means ``walk1.parquet``."""
    table = pl.scan_parquet(path, glob=False)
    for _ in range(DEEPEST):
        schema = table.collect_schema()
        structs = [name for name, kind in schema.items() if isinstance(kind, pl.Struct)]
        if not structs or len(schema) > MOST_COLUMNS:
            break
        taken = set(schema)
        table = table.select(
            [each for name, kind in schema.items() for each in _fields(name, kind, taken)]
        )
    return table


def _fields(name: str, kind: Any, taken: set[str]) -> list[pl.Expr]:
    """A column, or the fields of a struct as columns ``pose.x``, if no other is called so; their
    names are added to those that are ``taken``."""
    fields = [field.name for field in getattr(kind, "fields", ())]
    names = {f"{name}.{field}" for field in fields}
    if not fields or names & taken:
        return [pl.col(name)]
    taken |= names
    return [pl.col(name).struct.field(field).alias(f"{name}.{field}") for field in fields]


def _expression(header: str, schema: Any, is_label: bool = False) -> pl.Expr:
    if header not in schema:
        name, _, number = header.rpartition(".")
        column = pl.col(name)
        if isinstance(schema[name], pl.Array):
            return column.arr.get(int(number), null_on_oob=True).cast(pl.Float64).fill_null(np.nan)
        return column.list.get(int(number), null_on_oob=True).cast(pl.Float64).fill_null(np.nan)
    column, kind = pl.col(header), schema[header]
    if _is_time(kind):
        column = column.cast(pl.Int64) / _ticks(kind)
    elif is_label and kind in (pl.String, pl.Categorical):
        return column.cast(pl.String)
    elif kind in (pl.String, pl.Categorical):
        raise DepoError(f"column '{header}' holds words, no numbers: leave it out of --columns")
    return column.cast(pl.Float64).fill_null(np.nan)


def _is_nested(kind: Any) -> bool:
    inner = getattr(kind, "inner", None)
    return isinstance(inner, pl.List | pl.Array) or len(getattr(kind, "shape", ())) > 1


def _is_time(kind: Any) -> bool:
    return isinstance(kind, pl.Datetime | pl.Duration)


def _ticks(kind: Any) -> float:
    return {"ns": 1e9, "us": 1e6, "ms": 1e3}[getattr(kind, "time_unit", "us") or "us"]


def _widths(table: pl.LazyFrame, name: str, kind: Any) -> tuple[int, int]:
    """The lengths of the shortest and the longest list; those that are missing have none."""
    if isinstance(kind, pl.Array):
        width = int(kind.shape[0]) if len(kind.shape) == 1 else 0
        return width, width
    first = table.select(pl.col(name).list.len()).head(LOOKED_AT).collect().to_series()
    sizes = [int(size) for size in first.drop_nulls() if size]
    return min(sizes, default=0), max(sizes, default=0)
