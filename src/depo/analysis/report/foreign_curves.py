"""Other people's learning curves: CSV files as their tools write them.

A Stable-Baselines3 monitor (``#{…}``, then ``r,l,t``), a TensorBoard export (``Wall
time,Step,Value``; CleanRL's curves are saved so), or any table with a column of steps and one of
returns; ``seed`` tells several apart. In a Weights & Biases export each run is a seed. Semicolons,
tabs and decimal commas, as spreadsheets write them, are read too.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError, readable
from depo.core.files import read_text
from depo.core.limits import check_size
from depo.runs.job import MAX_SEEDS

LARGEST = 1 << 26
"""Bytes of a file of curves."""
ROW = 350
"""Bytes that a point of a curve takes in memory."""
FURTHEST = 1e300
"""Steps and returns from here on have no sum."""
SEPARATORS = ",;\t"
POINTS = 200
"""A curve of more points is shown as the means of as many parts."""
STEPS = (
    "step", "steps", "env_steps", "timesteps", "timestep", "global_step", "num_timesteps",
    "total_timesteps", "time/total_timesteps", "environment_steps", "frames",
)  # fmt: skip
RETURNS = (
    "return", "returns", "episode_return", "episodic_return", "eval_return", "mean_return",
    "charts/episodic_return", "mean_reward", "eval/mean_reward", "rollout/ep_rew_mean", "reward",
    "episode_reward", "score", "value",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ForeignCurve:
    """A curve with all its seeds, on steps of its own."""

    label: str
    steps: np.ndarray
    values: np.ndarray
    """(steps, seeds)."""
    source: str
    """What the files are, in words."""


def read_curves(given: Sequence[str]) -> list[ForeignCurve]:
    """Curves of files, each as FILE or LABEL=FILE; files of one label are seeds of one curve."""
    by_label: dict[str, list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
    sources: dict[str, str] = {}
    for word in given:
        label, path = _named(word)
        kind, curves = read_curve_file(path)
        by_label[label] += curves
        sources[label] = kind
    return [_together(label, curves, sources[label]) for label, curves in by_label.items()]


def read_curve_file(path: Path) -> tuple[str, list[tuple[np.ndarray, np.ndarray]]]:
    """What kind of file it is, and (steps, returns) of every seed in it."""
    text = read_text(path, "CSV", LARGEST).removeprefix("\ufeff")
    is_monitor = text.startswith("#")
    if is_monitor:
        text = text.partition("\n")[2]
    head = text.partition("\n")[0]
    separator = max(SEPARATORS, key=head.count)
    names = next(_table(path, text, separator), [])
    own = [_plain(name) for name in names]
    if is_monitor or own[:3] == ["r", "l", "t"]:
        kind, steps, values = "training episodes of a Stable-Baselines3 monitor", "l", ["r"]
    else:
        is_export = own == ["wall_time", "step", "value"]
        kind = "a TensorBoard export" if is_export else "a table"
        steps, values = _first(own, STEPS), _runs(names)
    if steps not in own or not set(values) & set(own):
        raise DepoError(
            f"{path} has the columns {', '.join(map(readable, names)) or '-'}: expected a "
            "Stable-Baselines3 monitor (r,l,t), a TensorBoard export (Wall time,Step,"
            "Value), or one column 'step' and one 'return'"
        )
    _check_count(path, len(values))
    check_size(text.count("\n") * len(values) * ROW, f"{path}, read into a table,")
    beside = [own.index(x) for x in (steps, *({"seed"} & set(own)))]
    curves = _points(
        path, _table(path, text, separator), beside, [own.index(x) for x in values], separator
    )
    found = [_curve(np.array(one), steps == "l") for each in curves for one in _by_seed(each, path)]
    if not found:
        raise DepoError(f"{path} has no row of numbers: nothing can be drawn")
    return kind, found


def _table(path: Path, text: str, separator: str) -> Iterator[list[str]]:
    """The rows of a table, its head first; one at a time, for they may be many."""
    try:
        yield from csv.reader(io.StringIO(text), delimiter=separator)
    except csv.Error as error:
        raise DepoError(f"{path} is not readable CSV: {readable(str(error))}") from None


def _plain(name: str) -> str:
    """A column's name as STEPS and RETURNS have it."""
    return re.sub(r"[\s_-]+", "_", name.strip().lower())


def _runs(names: Sequence[str]) -> list[str]:
    """The column of returns; of a Weights & Biases export, where it is RUN - NAME, each run's."""
    plain = [_plain(name) for name in names]
    if one := _first(plain, RETURNS):
        return [one]
    return [
        own
        for name, own in zip(names, plain, strict=True)
        if _plain(name.rpartition(" - ")[2]) in RETURNS
    ]


def _named(word: str) -> tuple[str, Path]:
    """Label and file of LABEL=FILE, or of a file; either may hold an equals sign."""
    places = [i for i, sign in enumerate(word) if sign == "="] if not Path(word).exists() else []
    for place in places:
        if place and Path(word[place + 1 :]).exists():
            return word[:place], Path(word[place + 1 :])
    return Path(word).stem, Path(word)


def _first(names: Sequence[str], known: Sequence[str]) -> str:
    return next((name for name in known if name in names), "")


def _points(
    path: Path,
    table: Iterator[list[str]],
    beside: Sequence[int],
    values: Sequence[int],
    separator: str,
) -> list[list[list[float]]]:
    """Of every column of returns: steps, return and, where there is one, seed of every row. Empty
    cells and NaN, which tools write where nothing was measured, are passed over."""
    next(table)
    found: list[list[list[float]]] = [[] for _ in values]
    for number, row in enumerate(table, 2):
        steps, *seed = [_cell(row, i) for i in beside]
        for points, place in zip(found, values, strict=True):
            cells = [steps, _cell(row, place), *seed]
            if all(cells):
                point = _numbers(cells, f"{path}, row {number}", separator)
                points += [point] if all(map(math.isfinite, point)) else []
    return found


def _cell(row: Sequence[str], place: int) -> str:
    return row[place].strip() if place < len(row) else ""


def _numbers(cells: Sequence[str], where: str, separator: str) -> list[float]:
    """A point as numbers that can be drawn, or NaN and infinity, which are passed over."""
    try:
        values = [float(_with_point(cell, separator)) for cell in cells]
    except ValueError:
        raise DepoError(f"{where}: {', '.join(map(readable, cells))} are no numbers") from None
    if all(map(math.isfinite, values)):
        if max(map(abs, values)) > FURTHEST:
            raise DepoError(f"{where}: {max(values, key=abs):g} is too large")
        if values[0] < 0:
            raise DepoError(f"{where}: {values[0]:g} steps are negative")
    return values


def _with_point(cell: str, separator: str) -> str:
    """A decimal comma, which is one where it does not separate cells, as a point."""
    return cell if separator == "," or "." in cell else cell.replace(",", ".")


def _check_count(path: Path, seeds: int) -> None:
    if seeds > MAX_SEEDS:
        raise DepoError(f"{path} has {seeds:,} seeds, at most {MAX_SEEDS:,} are read")


def _by_seed(rows: Sequence[Sequence[float]], path: Path) -> list[list[tuple[float, float]]]:
    found: dict[float, list[tuple[float, float]]] = defaultdict(list)
    for steps, value, *seed in rows:
        found[seed[0] if seed else 0.0].append((steps, value))
    _check_count(path, len(found))
    return list(found.values())


def _curve(rows: np.ndarray, are_lengths: bool) -> tuple[np.ndarray, np.ndarray]:
    """Steps in order, without repetition, at most so many points."""
    steps, values = rows.T
    if are_lengths:
        steps = np.cumsum(steps)
    order = np.argsort(steps, kind="stable")
    steps, values = steps[order], values[order]
    if len(steps) > POINTS:
        parts = np.array_split(np.arange(len(steps)), POINTS)
        steps = np.array([steps[part[-1]] for part in parts])
        values = np.array([values[part].mean() for part in parts])
    every, place = np.unique(steps, return_inverse=True)
    return every, np.bincount(place, values) / np.bincount(place)


def _together(
    label: str, curves: Sequence[tuple[np.ndarray, np.ndarray]], source: str
) -> ForeignCurve:
    """Seeds on the steps of the first, as far as all go: others are drawn between their points."""
    first, last = max(own[0][0] for own in curves), min(own[0][-1] for own in curves)
    steps = curves[0][0]
    steps = steps[(steps >= first) & (steps <= last)]
    if not len(steps):
        raise DepoError(f"the curves of '{readable(label)}' have no steps in common")
    values = np.stack([np.interp(steps, *own) for own in curves], axis=1)
    return ForeignCurve(label, steps, values, source)
