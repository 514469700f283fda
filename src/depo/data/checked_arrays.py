"""The arrays of demonstrations, checked: each mistake is named by episode, step and feature."""

from __future__ import annotations

import numpy as np

from depo.core.errors import DepoError, readable

MOST_FEATURES = 100_000
"""Numbers in a state; each has a name."""


def place(lengths: np.ndarray, row: int, feature: str = "") -> str:
    """Where a number of a recording is, in the words of all messages.

    >>> place(np.array([3, 5]), 4, "knee")
    "episode 1, step 1, 'knee'"
    """
    episode = int(np.searchsorted(np.cumsum(lengths), row, side="right"))
    step = row - int(lengths[:episode].sum())
    return f"episode {episode}, step {step}" + (f", '{readable(feature)}'" if feature else "")


def shaped_observations(array: np.ndarray) -> np.ndarray:
    """Refuse what are no states, before their numbers are looked at."""
    if array.ndim == 2 and array.dtype.kind == "f":
        if array.shape[1] == 0:
            raise DepoError("observations have no dimension: states need at least one number")
        if array.shape[1] > MOST_FEATURES:
            raise DepoError(
                f"observations have {array.shape[1]:,} dimensions, at most {MOST_FEATURES:,} are "
                "read: are rows and columns the right way round?"
            )
        return array
    if array.ndim == 1 and array.dtype.kind in "iu":
        return array
    raise DepoError(
        f"observations have rank {array.ndim} and dtype {array.dtype}: expected (states, "
        "dimension) floats for vector states, or (states,) integers for finite states"
    )


def checked_observations(
    array: np.ndarray, lengths: np.ndarray, names: tuple[str, ...]
) -> np.ndarray:
    """Finite numbers that fit their type."""
    if array.ndim == 2:
        if (bad := ~np.isfinite(array)).any():
            row, column = (int(index) for index in np.argwhere(bad)[0])
            raise DepoError(
                f"observations contain {int(bad.sum())} NaN or infinite numbers, the first in "
                f"{place(lengths, row, names[column])}: repair or drop those episodes"
            )
        size = np.abs(array)
        if size.max(initial=0) > np.finfo(np.float32).max:
            row, column = (int(index) for index in np.argwhere(size == size.max())[0])
            raise DepoError(
                f"observations do not fit float32, the largest is {array[row, column]:g} in "
                f"{place(lengths, row, names[column])}: rescale them"
            )
        return array.astype(np.float32)
    if array.min() < 0:
        row = int(array.argmin())
        raise DepoError(
            f"finite states are numbered from 0, found {array[row]} in {place(lengths, row)}"
        )
    if array.max() > np.iinfo(np.int32).max:
        row = int(array.argmax())
        raise DepoError(
            f"finite states must fit 32 bits, found {array[row]} in {place(lengths, row)}"
        )
    return array.astype(np.int32)


def checked_lengths(array: np.ndarray, total: int) -> np.ndarray:
    """Refuse lengths that are none, or not of the observations."""
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise DepoError(
            f"episode_lengths has rank {array.ndim} and dtype {array.dtype}: "
            "expected a list of whole numbers"
        )
    if len(array) == 0:
        raise DepoError("no episodes: demonstrations need at least one")
    short = np.flatnonzero(array.astype(np.int64) < 2)
    if len(short):
        raise DepoError(
            f"episode {int(short[0])} has length {int(array[short[0]])}: "
            "an episode needs at least two states to hold a transition"
        )
    if 2 * len(array) > total:
        raise DepoError(
            f"episode_lengths add up to {2 * len(array)} or more but there are {total} "
            "observations: the file is cut short or its lengths are wrong"
        )
    claimed = sum(int(length) for length in array)  # Python's whole numbers do not overflow
    if claimed != total:
        raise DepoError(
            f"episode_lengths add up to {claimed} but there are {total} observations: "
            "the file is cut short or its lengths are wrong"
        )
    return array.astype(np.int64)


def checked_actions(array: np.ndarray, total: int, episodes: int) -> np.ndarray:
    """Refuse actions that are no numbers, or not one for each state."""
    if array.ndim not in (1, 2) or array.dtype.kind not in "fiu":
        raise DepoError(f"actions have rank {array.ndim} and dtype {array.dtype}: expected numbers")
    if len(array) == total - episodes:
        raise DepoError(
            f"{len(array)} actions for {total} observations: give one action for each state "
            "(repeat the last one in each episode), or leave actions out"
        )
    if len(array) != total:
        raise DepoError(f"{len(array)} actions for {total} observations: they must be as many")
    if array.size == 0:
        raise DepoError("actions have no dimension: leave actions out")
    if not np.isfinite(array).all():
        raise DepoError("actions contain NaN or infinite numbers: leave actions out or repair them")
    return array


def checked_names(names: tuple[str, ...], observations: np.ndarray) -> tuple[str, ...]:
    """A name for each number; without any, s0, s1, …"""
    dimension = 1 if observations.ndim == 1 else observations.shape[1]
    if not names:
        return ("state",) if observations.ndim == 1 else tuple(f"s{i}" for i in range(dimension))
    if len(names) != dimension:
        raise DepoError(
            f"{len(names)} feature names for {dimension}-dimensional states: "
            "give one name for each dimension, or none"
        )
    return names
