"""The metric catalogue: every number a run writes down, what it means and where it is shown.

Tables, axis labels, the progress line, checks for finite values and the choice of the best model
read it; so does the reference page. A method or an environment family from outside calls
:func:`register_metrics` beside its own code; a metric nobody registered is shown under its own
name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from depo.core.codec import check_fields
from depo.core.errors import DepoError
from depo.core.metric import (
    EXPERIMENTS,
    FIGURE,
    PROGRESS,
    SUMMARY,
    Better,
    Group,
    Metric,
    Place,
    number_text,
)
from depo.core.score_metrics import DRIVING, EXACT, PLAYED, on_test_vehicles
from depo.core.training_metrics import ROW, TRAINING

__all__ = [
    "EXPERIMENTS",
    "FIGURE",
    "OF_VARIANT",
    "PROGRESS",
    "SUMMARY",
    "Better",
    "Group",
    "Metric",
    "Place",
    "catalogue",
    "find_metric",
    "main_metric",
    "number_text",
    "register_metrics",
    "shown_in",
]

OF_VARIANT = ("return", "success")
"""Scores that co-training also gives of every variant, as ``return_truck``."""


def find_metric(name: str) -> Metric:
    """The entry of a metric; a sensible one where nobody registered it.

    >>> find_metric("return_truck").label, find_metric("my_own_score").label
    ('return, truck', 'my own score')
    """
    if name in _REGISTERED:
        return _REGISTERED[name]
    for score in OF_VARIANT:
        if name.startswith(f"{score}_"):
            variant = name.removeprefix(f"{score}_")
            return replace(
                _REGISTERED[score],
                name=name,
                label=f"{_REGISTERED[score].label}, {variant}",
                meaning=f"`{score}` with the variant '{variant}' in co-training.",
                shown=(),
            )
    return Metric(name, name.replace("_", " "), "Not in the catalogue.")


def catalogue() -> Mapping[str, Metric]:
    """Every registered metric by name, in the order tables and results.csv have."""
    return MappingProxyType(_REGISTERED)


def register_metrics(*entries: Metric) -> None:
    """Add metrics; a name that means something else already is refused.

    >>> register_metrics(find_metric("success"))
    """
    for entry in entries:
        if not isinstance(entry, Metric):
            raise DepoError(f"{entry!r} is no Metric: give Metric(name, label, meaning, …)")
        check_fields(entry, f"metric '{entry.name}'")
        known = _REGISTERED.get(entry.name)
        if known is not None and known != entry:
            raise DepoError(
                f"metric '{entry.name}' is registered already ({known.meaning}): give yours "
                "another name"
            )
    _REGISTERED.update({entry.name: entry for entry in entries})


def shown_in(place: Place, among: Iterable[str]) -> list[Metric]:
    """The metrics of a row that a place shows, in the catalogue's order.

    >>> [m.name for m in shown_in("progress line", ["seed", "return", "success"])]
    ['success', 'return']
    """
    there = set(among)
    return [m for m in _REGISTERED.values() if place in m.shown and m.name in there]


def main_metric(row: Iterable[str]) -> Metric | None:
    """The score to watch in a row: the first that the progress line shows."""
    return next(iter(shown_in(PROGRESS, row)), None)


_REGISTERED: dict[str, Metric] = {}
register_metrics(*ROW, *EXACT, *PLAYED, *TRAINING, *DRIVING)
register_metrics(*map(on_test_vehicles, (find_metric("success"), *DRIVING)))
