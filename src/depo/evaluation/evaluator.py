"""What scores a policy: one protocol, and what every implementation may be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from depo.data.demonstrations import Demonstrations
from depo.evaluation.statistics import mean_scores
from depo.models.policy import PolicyModel
from depo.models.skill import Skill

EPISODES = 10
Scores = list[dict[str, float]]


@runtime_checkable
class Evaluator(Protocol):
    """Scores of the policies of some seeds; it knows nothing of runs, learners or methods."""

    @property
    def chosen_by(self) -> str:
        """The score models are chosen by; empty: there is none, the last model is kept."""

    def __call__(self, policies: Sequence[PolicyModel], skills: Sequence[Skill | None]) -> Scores:
        """The scores of every seed; ``skills`` are those learned beside policies, None: none."""

    def close(self) -> None:
        """Close the simulators."""


@dataclass(frozen=True)
class Scoring:
    """What an evaluator may need to know beside the environment."""

    seeds: tuple[int, ...]
    gamma: float = 0.99
    demos: Demonstrations | None = None
    """What experts did, for scores that compare with them."""
    held_out: tuple[Demonstrations | None, ...] = ()
    """Of each seed, the demonstrations that it does not learn from."""
    planned: tuple[int, ...] = ()
    """The features of a vector state that are planned."""
    remember: bool = False
    """Whether policies see the state before appended to every vector state."""
    episodes: int = EPISODES


@runtime_checkable
class Simulators(Protocol):
    """Copies of an environment side by side whose steps never cross a reset."""

    @property
    def succeeded(self) -> np.ndarray:
        """Of every copy, whether its last step reported success; NaN: it reported nothing."""

    def reset(self, seeds: Sequence[int]) -> np.ndarray:
        """Start every copy from its own seed."""

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns (state to act from, s' reached, reward, terminated, truncated)."""

    def steps_to_the_end(self, limit: int | None = None) -> Iterator[int]:
        """Numbers of steps, as long as the caller goes on."""

    def close(self) -> None:
        """Close all copies."""


@runtime_checkable
class Playable(Protocol):
    """An environment that episodes can be played in."""

    def vector(self, copies: int) -> Simulators:
        """Many copies side by side."""

    def vector_sizes(self) -> Any:
        """Lengths of state and action vectors, as ``states`` and ``actions``."""


class MeanOverVariants:
    """Co-training: every variant's own evaluator, and the means of what they say.

    Policies come variant by variant, in each the seeds in order.
    """

    def __init__(self, parts: Mapping[str, Evaluator]):
        self.parts = dict(parts)

    @property
    def chosen_by(self) -> str:
        """As the variants' own: they are of one family."""
        return next(iter(self.parts.values())).chosen_by

    def __call__(self, policies: Sequence[PolicyModel], skills: Sequence[Skill | None]) -> Scores:
        """Means over variants, with the return of each beside."""
        seeds = len(policies) // len(self.parts)
        own = [slice(i * seeds, (i + 1) * seeds) for i in range(len(self.parts))]
        scores = [
            part(policies[these], skills[these])
            for part, these in zip(self.parts.values(), own, strict=True)
        ]
        return [
            mean_scores(dict(zip(self.parts, row, strict=True)))
            for row in zip(*scores, strict=True)
        ]

    def close(self) -> None:
        """Close every variant's simulators."""
        for part in self.parts.values():
            part.close()


class Together:
    """Several evaluators of the same policies, their scores side by side; later names win."""

    def __init__(self, *parts: Evaluator):
        self.parts = parts

    @property
    def chosen_by(self) -> str:
        """As the first that has one says."""
        return next((part.chosen_by for part in self.parts if part.chosen_by), "")

    def __call__(self, policies: Sequence[PolicyModel], skills: Sequence[Skill | None]) -> Scores:
        """All scores."""
        found: Scores = [{} for _ in policies]
        for part in self.parts:
            found = [a | b for a, b in zip(found, part(policies, skills), strict=True)]
        return found

    def close(self) -> None:
        """Close all simulators."""
        for part in self.parts:
            part.close()
