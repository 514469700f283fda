"""Demonstrations from and to Minari, the common format for recorded Gymnasium episodes.

A Minari episode has T+1 observations and T steps of action, reward and end. What demonstrations
do not hold is filled in on export and marked, in words in the dataset's description and for
programs under ``depo`` in its metadata, so that nothing made up comes back as a recording:

| Minari wants | it gets                                                                   |
| ------------ | ------------------------------------------------------------------------- |
| actions      | those recorded, without each episode's last; or zeros of the action space |
| rewards      | the episode's return in its last step, zeros before; or zeros             |
| ends         | truncated after the last step, never terminated                           |
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete, Space

from depo.core.child import in_child
from depo.core.codec import encode
from depo.core.errors import DepoError, readable
from depo.core.files import read_object, size_of
from depo.core.imports import import_module
from depo.data.demonstrations import Demonstrations
from depo.data.hdf5 import check_self_contained
from depo.data.minari_format import (
    ABOUT,
    MARK,
    Mark,
    find_dataset,
    is_plain,
    read_mark,
    short,
    the_library,
    values_of,
)

CARRIED = ("dataset_id", "description", "algorithm_name", "author", "code_permalink")
"""What a dataset says of its origin, kept under ``minari`` in the demonstrations' metadata."""


def from_minari(
    dataset: str | Path, *, keep_actions: bool = False, episodes: int | None = None
) -> Demonstrations:
    """Read a dataset on this machine, by its id or its folder; nothing is downloaded or run.

    Returns are the sums of rewards. ``keep_actions`` repeats each episode's last action, because
    demonstrations have one for each state; ``episodes=n`` takes only the first n.

    The file is parsed by a process of its own, with limits on memory and time (``core/child.py``).
    """
    folder, what = find_dataset(dataset), f"Minari dataset '{dataset}'"
    size = size_of(folder)
    arguments = {
        "folder": str(folder.absolute()),
        "what": what,
        "keep_actions": keep_actions,
        "episodes": episodes,
    }
    with in_child(f"{__name__}:convert_folder", arguments, what, size) as (out, _):
        return Demonstrations.load(out)


def convert_folder(
    folder: str, what: str, keep_actions: bool, episodes: int | None, out: str
) -> None:
    """Write a dataset's folder as demonstrations; what the child does."""
    read_folder(Path(folder), what, keep_actions, episodes).save(out)


def read_folder(
    folder: Path, what: str, keep_actions: bool = False, episodes: int | None = None
) -> Demonstrations:
    """A dataset's folder as demonstrations, parsed here; ``what`` is it, for errors."""
    minari = the_library()
    about = read_object(folder / ABOUT)
    try:
        mark = read_mark(about)
        for file in folder.rglob("*.hdf5"):
            check_self_contained(file)
        data = minari.MinariDataset(folder)
        _check_spaces(data, mark, keep_actions)
        states, actions, returns = [], [], []
        for episode in data.iterate_episodes(_first(data, episodes)):
            states.append(_states(episode.observations, data.observation_space))
            if keep_actions:
                acted = values_of(episode.actions, data.action_space)
                actions.append(np.concatenate([acted, acted[-1:]]))
            returns.append(np.sum(episode.rewards, dtype=np.float64))
        return Demonstrations(
            observations=np.concatenate(states),
            episode_lengths=np.array([len(array) for array in states]),
            actions=np.concatenate(actions) if actions else None,
            episode_returns=None if mark.rewards == "zeros" else np.array(returns),
            feature_names=mark.feature_names,
            metadata={**_origin(data, about), **mark.metadata},
        )
    except DepoError as error:
        raise DepoError(f"{what}: {error}") from None
    except MemoryError:
        raise
    except Exception as error:  # Minari, HDF5 and Arrow raise their own kinds
        said = readable(f"{type(error).__name__}: {error}")
        raise DepoError(f"{what} cannot be read: {said}") from None


def to_minari(
    demos: Demonstrations,
    dataset_id: str,
    *,
    env: str | gym.Env | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Path:
    """Write a dataset where Minari keeps them (``MINARI_DATASETS_PATH``); returns its folder.

    ``env`` is the environment, or its id (made with ``arguments``), that the demonstrations belong
    to: it gives the spaces, and Minari can recover it. Without one, spaces are as large as the
    data, and actions that are not recorded are zeros of ``Discrete(1)``.
    """
    minari = the_library()
    folder = _new_folder(dataset_id)
    made = _make(env, arguments or {}) if isinstance(env, str) else env
    try:
        observations, observation_space = _fitted(demos.observations, made, "state")
        actions, action_space = _fitted(_actions(demos, made), made, "action")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Minari recommends an author, an algorithm, …
            data = minari.create_dataset_from_buffers(
                dataset_id,
                _buffers(demos, observations, actions),
                env=made if _is_recoverable(made) else None,
                observation_space=observation_space,
                action_space=action_space,
                description=_description(demos),
            )
        data.storage.update_metadata({MARK: _new_mark(demos, env)})
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)  # half a dataset would block the next try
        if isinstance(error, DepoError) or not isinstance(error, Exception):
            raise
        raise DepoError(f"Minari dataset '{dataset_id}' cannot be written: {error}") from error
    finally:
        if isinstance(env, str) and made is not None:
            made.close()
    return folder


def _check_spaces(data: Any, mark: Mark, keep_actions: bool) -> None:
    space = data.observation_space
    if not isinstance(space, Discrete) and not (isinstance(space, Box) and len(space.shape) == 1):
        raise DepoError(
            f"the observation space is {short(space)}, demonstrations hold finite (Discrete) "
            "states or vectors (Box of rank 1): 'depo demos import' takes parts of a Dict"
        )
    if keep_actions and mark.actions == "zeros":
        raise DepoError("its actions are zeros, none were recorded: do not keep them")
    if keep_actions and not is_plain(data.action_space):
        raise DepoError(
            f"the action space is {short(data.action_space)}, demonstrations hold numbers or "
            "vectors: do not keep the actions"
        )


def _first(data: Any, wanted: int | None) -> list[int]:
    wanted = len(data) if wanted is None else wanted
    if not 1 <= wanted <= len(data):
        raise DepoError(f"{wanted} of its {len(data)} episodes cannot be taken: ask for 1 or more")
    return [int(i) for i in data.episode_indices[:wanted]]


def _states(observations: Any, space: Space) -> np.ndarray:
    states = values_of(observations, space)
    return states if isinstance(space, Discrete) or states.dtype.kind == "f" else states * 1.0


def _origin(data: Any, about: dict[str, Any]) -> dict[str, Any]:
    origin: dict[str, Any] = {
        "source": f"Minari dataset {data.id}",
        "minari": {key: about[key] for key in CARRIED if key in about},
    }
    if data.env_spec is not None:
        origin["environment"] = data.env_spec.id
        if data.env_spec.kwargs:
            origin["environment_arguments"] = data.env_spec.kwargs
    return origin


def _new_folder(dataset_id: str) -> Path:
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.storage import get_dataset_path

    try:
        parse_dataset_id(dataset_id)
    except Exception:  # its kind differs between Minari's versions
        raise DepoError(
            f"'{dataset_id}' is not the id of a Minari dataset: write NAME-v0 or GROUP/NAME-v0, "
            "names being letters, digits, - and _"
        ) from None
    folder: Path = get_dataset_path(dataset_id)
    if folder.exists():
        raise DepoError(
            f"Minari dataset '{dataset_id}' exists already: choose another version, or remove it "
            f"with 'minari delete {dataset_id}'"
        )
    return folder


def _make(env: str, arguments: Mapping[str, Any]) -> gym.Env:
    if module := env.rpartition(":")[0]:
        import_module(module, "environment", env)
    try:
        return gym.make(env, **arguments)
    except Exception as error:
        raise DepoError(f"environment '{env}' cannot be made: {error}") from None


def _actions(demos: Demonstrations, env: gym.Env | None) -> np.ndarray:
    from gymnasium.wrappers.utils import create_zero_array

    if demos.actions is not None:
        return demos.actions
    space = Discrete(1) if env is None else env.action_space
    if not is_plain(space):
        raise DepoError(
            f"the environment has the action space {short(space)}, zeros stand in for numbers or "
            "vectors only: leave the environment out"
        )
    return np.repeat(np.asarray(create_zero_array(space))[None], len(demos.observations), axis=0)


def _fitted(values: np.ndarray, env: gym.Env | None, what: str) -> tuple[np.ndarray, Space]:
    """The values as the environment's space would hold them, and that space."""
    if env is None:
        return values, _space_of(values)
    space = env.observation_space if what == "state" else env.action_space
    if _fits(values, space):
        return values.astype(space.dtype), space
    given = f"up to {values.max()}" if values.ndim == 1 else f"of {values.shape[1]} dimensions"
    raise DepoError(
        f"demonstrations have {values.dtype} {what}s {given}, the environment has the {what} space "
        f"{short(space)}: pass the environment they were recorded in"
    )


def _fits(values: np.ndarray, space: Space) -> bool:
    if isinstance(space, Discrete):
        whole = values.ndim == 1 and values.dtype.kind in "iu"
        return bool(whole and space.start <= values.min() and values.max() < space.start + space.n)
    if not is_plain(space) or space.shape != values.shape[1:]:
        return False
    is_float = np.issubdtype(space.dtype, np.floating)
    return bool(is_float or np.array_equal(values.astype(space.dtype), values))


def _space_of(values: np.ndarray) -> Space:
    whole = values.dtype.kind in "iu"
    if whole and values.ndim == 1 and values.min() >= 0:
        return Discrete(int(values.max()) + 1)
    limits = np.iinfo(values.dtype) if whole else None
    low, high = (limits.min, limits.max) if limits else (-np.inf, np.inf)
    return Box(low, high, values.shape[1:], values.dtype.type)


def _buffers(demos: Demonstrations, observations: np.ndarray, actions: np.ndarray) -> list[Any]:
    from minari.data_collector import EpisodeBuffer

    buffers = []
    ends = np.cumsum(demos.episode_lengths)
    for i, (end, length) in enumerate(zip(ends, demos.episode_lengths, strict=True)):
        last = np.arange(length - 1) == length - 2
        reward = 0.0 if demos.episode_returns is None else demos.episode_returns[i]
        buffers.append(
            EpisodeBuffer(
                observations=observations[end - length : end],
                actions=actions[end - length : end - 1],
                rewards=np.where(last, reward, 0.0),
                terminations=np.zeros(length - 1, bool),
                truncations=last,
                infos={},
            )
        )
    return buffers


def _description(demos: Demonstrations) -> str:
    rewards = "zeros"
    if demos.episode_returns is not None:
        rewards = "the last step of an episode has its return, the others zero"
    return " ".join(
        [
            f"States of {demos.episodes} episodes, written by depo.",
            f"Source: {demos.metadata.get('source', 'unknown')}.",
            "Actions are not recorded: zeros." if demos.actions is None else "Actions: recorded.",
            f"Rewards of steps are not recorded: {rewards}.",
            "Ends are not recorded: the last step of an episode is marked as truncated.",
        ]
    )


def _new_mark(demos: Demonstrations, env: str | gym.Env | None) -> dict[str, Any]:
    metadata = dict(demos.metadata)
    if isinstance(env, str):
        metadata["environment"] = env
    elif env is not None and env.spec is not None:
        metadata["environment"] = env.spec.id
    mark = Mark(
        actions="zeros" if demos.actions is None else "recorded",
        rewards="zeros" if demos.episode_returns is None else "return in the last step",
        feature_names=demos.feature_names,
        metadata=metadata,
    )
    return encode(mark)


def _is_recoverable(env: gym.Env | None) -> bool:
    """Whether the environment can be written down: not if it was registered with a class."""
    try:
        return env is not None and env.spec is not None and bool(env.spec.to_json())
    except (TypeError, ValueError):
        return False
