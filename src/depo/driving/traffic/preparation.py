"""From a recording to a scene: crop, smooth, leave out, choose vehicles and split them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from depo.core.codec import decode, encode
from depo.core.errors import DepoError
from depo.driving.traffic.overlaps import crashed_vehicles
from depo.driving.traffic.recording import Recording

FEWEST = 4
"""Vehicles of which 15% are one."""
PAUSE = 600
"""Frames between two recordings that follow each other in one scene."""
Shares = Literal["70/15/15", "85/15"]


@dataclass(frozen=True)
class PreparationSettings:
    """How a recording becomes a scene; the defaults are what the authors did."""

    crop: bool = True
    """Keep the frames in which a vehicle's front is on the road, and no others."""
    smooth: int = 0
    """Positions are replaced by the mean over n frames, from the row itself on; 1: as they
    are; 0: what the layout says, 15 for NGSIM's raw tracks as the authors."""
    shortest: int = 16
    """Vehicles with fewer frames after cropping (or too few to smooth) are left out."""
    trim: int = 2
    """Frames dropped at the end of each track."""
    blacklist: tuple[int, ...] = ()
    """Vehicles (as numbered in the file) to leave out, besides those that the layout names."""

    def __post_init__(self) -> None:
        if self.smooth < 0 or self.trim < 0:
            raise DepoError(f"smooth {self.smooth} or trim {self.trim} is negative")


@dataclass(frozen=True)
class ChoiceSettings:
    """Which vehicles are demonstrators, and which of them only tested on."""

    vehicles: int = 1_000
    """How many are chosen at most; 0: all."""
    shuffle_seed: int = 123
    """Vehicles are shuffled with this seed (NumPy's legacy generator), then the first are taken."""
    shares: Shares = "70/15/15"
    """Train, validation and test; '85/15' has no validation, as the authors."""
    complete: bool = True
    """Choose only vehicles that are seen entering and leaving the valid zone; else all that are
    ever in it."""

    def __post_init__(self) -> None:
        if self.vehicles < 0:
            raise DepoError(f"vehicles {self.vehicles}: 0 means all, fewer is impossible")
        if 0 < self.vehicles < FEWEST:
            raise DepoError(f"vehicles {self.vehicles}: with fewer than {FEWEST} none is tested on")
        if not 0 <= self.shuffle_seed < 2**32:
            raise DepoError(f"shuffle_seed {self.shuffle_seed} is not between 0 and 2³² − 1")


@dataclass(frozen=True)
class Split:
    """Vehicles of a scene by their use; the same test vehicles whatever the shares.

    >>> Split.of(np.arange(10), "70/15/15")
    Split(train=(3, 4, 5, 6, 7, 8, 9), validation=(2,), test=(0, 1))
    >>> Split.of(np.arange(10), "85/15").validation
    ()
    """

    train: tuple[int, ...]
    validation: tuple[int, ...]
    test: tuple[int, ...]

    @classmethod
    def of(cls, shuffled: np.ndarray, shares: Shares) -> Split:
        """The first 15% test, the next 15% validate, the rest trains."""
        ids = tuple(int(v) for v in shuffled)
        test = round(0.15 * len(ids))
        validation = len(ids) - round(0.7 * len(ids)) - test if shares == "70/15/15" else 0
        return cls(ids[test + validation :], ids[test : test + validation], ids[:test])


def split_of(recording: Recording) -> Split:
    """The split that a scene file carries."""
    whose = f"recording '{recording.name}'"
    if "split" not in recording.metadata:
        raise DepoError(
            f"{whose} says nothing of train and test vehicles: make a scene with "
            "'depo demos from-traffic'"
        )
    split = decode(Split, recording.metadata["split"], f"{whose}: split")
    every = [*split.train, *split.validation, *split.test]
    if len(set(every)) != len(every) or not all(0 <= v < recording.vehicles for v in every):
        raise DepoError(f"{whose} has vehicles twice in its split, or unknown")
    return split


def prepare(
    recording: Recording,
    settings: PreparationSettings | None = None,
) -> Recording:
    """Crop, leave out and smooth, in this order."""
    settings = settings or PreparationSettings()
    window = settings.smooth or recording.notes.smooth
    blacklisted = [*settings.blacklist, *recording.notes.blacklist]
    listed = np.isin(recording.original_id, blacklisted)
    begin, end = recording.begin[:-1].copy(), recording.begin[1:].copy()
    if settings.crop:
        begin, end = _cropped(recording)
    shortest = max(settings.shortest, window + settings.trim + 1)
    keep = ~listed & (end - begin >= shortest)
    if not keep.any():
        raise DepoError(
            f"recording '{recording.name}': no vehicle is left with {shortest} frames on the road"
        )
    begin, end = begin[keep], end[keep]
    durations = end - begin - (window - 1) - settings.trim
    first = np.concatenate([[0], np.cumsum(durations)])
    rows = np.arange(first[-1]) + np.repeat(begin - first[:-1], durations)
    middle = rows + window // 2
    done = {"crop": settings.crop, "smoothed": window, "left_out": int((~keep).sum())}
    return replace(
        recording,
        begin=first,
        first_frame=recording.first_frame[keep] + begin - recording.begin[:-1][keep],
        x=_mean_from(recording.x, rows, window),
        y=_mean_from(recording.y, rows, window),
        lane=recording.lane[middle],
        length=recording.length[keep],
        width=recording.width[keep],
        original_id=recording.original_id[keep],
        kind=recording.kind[keep],
        metadata={**recording.metadata, "smooth": 1, "preparation": done},
    )


def choose(recording: Recording, settings: ChoiceSettings | None = None) -> Recording:
    """Draw the vehicles to imitate and keep the split in the recording's metadata.

    Vehicles that collide in the recording itself are never chosen.
    """
    settings = settings or ChoiceSettings()
    fit = np.ones(recording.vehicles, bool)
    fit[crashed_vehicles(recording)] = False
    fit &= crosses_zone(recording) if settings.complete else enters_zone(recording)
    candidates = np.flatnonzero(fit)
    if len(candidates) < FEWEST:
        raise DepoError(
            f"recording '{recording.name}': {len(candidates)} of {recording.vehicles} vehicles "
            "cross the valid zone without a collision, too few to split into train and test"
        )
    np.random.RandomState(settings.shuffle_seed).shuffle(candidates)
    chosen = candidates[: settings.vehicles or None]
    split = Split.of(chosen, settings.shares)
    about: dict[str, Any] = {"candidates": len(candidates), "seed": settings.shuffle_seed}
    metadata = {**recording.metadata, "split": encode(split), "choice": about}
    return replace(recording, metadata=metadata)


def crosses_zone(recording: Recording) -> np.ndarray:
    """(V) whether a vehicle is seen before the valid zone begins and after it has left it."""
    start, end = recording.road.zone
    first, last = recording.begin[:-1], recording.begin[1:] - 1
    return (recording.x[first] <= start) & (recording.x[last] > end)


def enters_zone(recording: Recording) -> np.ndarray:
    """(V) whether a vehicle is ever seen in the valid zone."""
    start, end = recording.road.zone
    inside = (recording.x > start) & (recording.x <= end)
    return np.maximum.reduceat(inside, recording.begin[:-1])


def join(recordings: Sequence[Recording]) -> Recording:
    """One recording after the other in time, a minute apart: their vehicles never meet."""
    if len({(r.road, r.time_step) for r in recordings}) != 1:
        raise DepoError(
            "recordings of different roads or time steps cannot be one scene: convert them one by "
            "one"
        )
    if len(recordings) == 1:
        return recordings[0]
    start, frames, parts = 0, [], []
    for recording in recordings:
        first, end = recording.frames
        frames.append(recording.first_frame - first + start)
        parts.append({"name": recording.name, "first_frame": start, **recording.metadata})
        start += end - first + PAUSE
    stacked = {
        column: np.concatenate([getattr(r, column) for r in recordings])
        for column in ("x", "y", "lane", "length", "width", "original_id", "kind")
    }
    return Recording(
        road=recordings[0].road,
        time_step=recordings[0].time_step,
        name=", ".join(r.name for r in recordings),
        begin=np.concatenate([[0], np.cumsum(np.concatenate([r.durations for r in recordings]))]),
        first_frame=np.concatenate(frames),
        metadata={"recordings": parts},
        **stacked,
    )


def _cropped(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Each vehicle's rows from the first with its front on the road to the last."""
    front = recording.x + np.repeat(recording.length, recording.durations)
    inside = (front >= 0) & (front <= recording.road.length)
    rows, first = np.arange(recording.rows), recording.begin[:-1]
    begin = np.minimum.reduceat(np.where(inside, rows, recording.rows), first)
    end = np.maximum.reduceat(np.where(inside, rows + 1, 0), first)
    empty = end <= begin
    return np.where(empty, first, begin), np.where(empty, first, end)


def _mean_from(values: np.ndarray, rows: np.ndarray, window: int) -> np.ndarray:
    """The mean of ``window`` values from each row on."""
    if window == 1:
        return values[rows]
    total = np.concatenate([[0.0], np.cumsum(values)])
    return (total[rows + window] - total[rows]) / window
