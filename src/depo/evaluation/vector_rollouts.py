"""Scores on vector states: episodes in a simulator of its own, and how far plans were reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from depo.core.seeds import EVALUATION, derived_seed
from depo.data.demonstrations import Demonstrations
from depo.evaluation.evaluator import EPISODES, Playable, Scores, Scoring
from depo.evaluation.statistics import relative_score
from depo.models.policy import DecoupledPolicy, PolicyModel
from depo.models.skill import Skill

LEAST_ROWS = 256


class Episodes(NamedTuple):
    """Steps of several episodes (time, episodes, …); ``playing`` tells which really happened."""

    state: np.ndarray
    action: np.ndarray
    plan: np.ndarray
    reached: np.ndarray
    reward: np.ndarray
    playing: np.ndarray
    succeeded: np.ndarray
    """1 or 0 as the environment reports it, NaN where it does not."""

    def returns(self) -> np.ndarray:
        """The return of every episode."""
        return np.sum(self.reward * self.playing, axis=0)

    def lengths(self) -> np.ndarray:
        """The length of every episode."""
        return np.sum(self.playing, axis=0)

    def successes(self) -> np.ndarray:
        """What the last step of every episode reported; from an environment that says it only
        where there is success, silence is none."""
        last = self.succeeded[self.lengths() - 1, np.arange(self.succeeded.shape[1])]
        reports = np.isfinite(self.succeeded[self.playing]).any()
        return np.where(np.isnan(last), 0.0, last) if reports else last

    def states(self, episode: int) -> np.ndarray:
        """All states of an episode, the last one reached among them."""
        length = int(self.lengths()[episode])
        last = self.reached[length - 1 : length, episode]
        return np.concatenate([self.state[:length, episode], last])


class Player:
    """Plays one seed's policy: fixed held-out seeds, the first episode of every copy."""

    def __init__(
        self,
        environment: Playable,
        seed: int,
        episodes: int = EPISODES,
        purpose: int = EVALUATION,
    ):
        self._envs = environment.vector(episodes)
        self._actions = environment.vector_sizes().action_space
        self._seeds = [derived_seed(purpose, seed, e) for e in range(episodes)]
        self._decide = eqx.filter_jit(lambda policy, state: policy.mode(state))

    def play(
        self, policy: PolicyModel | None, steps: int | None = None, noise: float = 0.0
    ) -> Episodes:
        """Play all episodes to their end, or for at most ``steps``; None acts at random.

        ``noise`` is the deviation of what is added to the policy's actions, or the share of
        discrete ones that are random instead.
        """
        state = self._envs.reset(self._seeds)
        playing = np.ones(len(state), bool)
        generator = np.random.default_rng(self._seeds)
        taken = []
        for _ in self._envs.steps_to_the_end(steps):
            if policy is None:
                action = self._actions.random(generator, (len(state),))
                plan = np.zeros((len(state), 0))
            else:
                action, plan = (np.asarray(x) for x in self._decide(policy, state))
                if noise:
                    action = self._actions.strayed(action, noise, generator)
            before = state
            state, reached, reward, ended, cut = self._envs.step(action)
            reported = self._envs.succeeded
            taken.append(Episodes(before, action, plan, reached, reward, playing.copy(), reported))
            playing &= ~(ended | cut)
            if not playing.any():
                break
        return Episodes(*(np.stack(column) for column in zip(*taken, strict=True)))

    def close(self) -> None:
        """Close the simulator."""
        self._envs.close()


class VectorRollouts:
    """Every seed's deterministic policy in simulators of its own."""

    chosen_by = ""

    def __init__(self, environment: Playable, scoring: Scoring):
        self._players = [Player(environment, seed, scoring.episodes) for seed in scoring.seeds]
        self._held_out = scoring.held_out or (None,) * len(scoring.seeds)
        self._planned = scoring.planned
        known = scoring.demos.episode_returns if scoring.demos is not None else None
        self._expert_return = float(np.mean(known)) if known is not None else None
        self._random_returns: dict[int, float] = {}

    def __call__(self, policies: Sequence[PolicyModel], skills: Sequence[Skill | None]) -> Scores:
        """Returns, reach and skill errors, and the likelihood of held-out demonstrations."""
        return [self._score(i, *own) for i, own in enumerate(zip(policies, skills, strict=True))]

    def _score(self, i: int, policy: PolicyModel, skill: Skill | None) -> dict[str, float]:
        random_return = self._random_return(i)
        episodes = self._players[i].play(policy)
        scores = score(
            policy,
            episodes,
            expert_return=self._expert_return,
            random_return=random_return,
            held_out=self._held_out[i],
        )
        if skill is not None and "skill_error" not in scores:  # bco acts without it
            scores |= skill_error(skill, self._planned, episodes)
        return scores

    def _random_return(self, i: int) -> float | None:
        """What acting at random returns, played once, where an expert's return is known."""
        if self._expert_return is None:
            return None
        if i not in self._random_returns:
            self._random_returns[i] = float(np.mean(self._players[i].play(None).returns()))
        return self._random_returns[i]

    def close(self) -> None:
        """Close the simulators."""
        for player in self._players:
            player.close()


def score(
    policy: PolicyModel,
    episodes: Episodes,
    *,
    expert_return: float | None = None,
    random_return: float | None = None,
    held_out: Demonstrations | None = None,
) -> dict[str, float]:
    """Every score of one seed's policy."""
    returns = episodes.returns()
    scores = {
        "return": float(np.mean(returns)),
        "return_worst_episode": float(np.min(returns)),
        "episode_length": float(np.mean(episodes.lengths())),
    }
    if np.isfinite(successes := episodes.successes()).all():
        scores["success"] = float(np.mean(successes))
    if expert_return is not None and random_return is not None and expert_return != random_return:
        relative = relative_score(scores["return"], random_return, expert_return)
        scores["return_relative"] = relative
    if isinstance(policy, DecoupledPolicy):
        scores |= reach_error(policy, episodes)
        scores |= skill_error(policy.skill, policy.planner.predicts, episodes)  # type: ignore[union-attr]
        if held_out is not None:
            state, reached = (jnp.array(x) for x in held_out.transitions())
            planner = policy.planner
            likelihood = planner.log_prob(state, planner.select(reached))  # type: ignore[union-attr]
            scores["planner_log_likelihood"] = float(np.mean(likelihood))
    return scores


def reach_error(policy: DecoupledPolicy, episodes: Episodes) -> dict[str, float]:
    """Mean square of (planned − reached) per dimension: raw, standardised, and relative.

    Relative divides by the error of planning to stand still, both standardised: a planner of
    "no change" scores 1.
    """
    planner = policy.planner
    columns = list(planner.predicts)  # type: ignore[union-attr]
    normaliser = planner.normaliser.at(planner.predicts)  # type: ignore[union-attr]
    played = episodes.playing
    plan, reached = episodes.plan[played], episodes.reached[played][:, columns]
    still = episodes.state[played][:, columns]
    own, other, before = (by_rows(normaliser, x) for x in (plan, reached, still))
    standardised = float(np.mean((own - other) ** 2))
    standing = float(np.mean((before - other) ** 2))
    return {
        "reach_error_raw": float(np.mean((plan - reached) ** 2)),
        "reach_error": standardised,
        "reach_error_relative": standardised / max(standing, 1e-12),
    }


def skill_error(skill: Skill, planned: Sequence[int], episodes: Episodes) -> dict[str, float]:
    """Squared error of a skill on the evaluation's transitions, which no learner has seen; it is
    told the planned features of the states that were reached."""
    played = episodes.playing
    reached = episodes.reached[played][:, list(planned)]
    meant = by_rows(skill.mode, episodes.state[played], reached)
    error = np.sum((meant - episodes.action[played]) ** 2, axis=-1)
    return {"skill_error": float(np.mean(error))}


def by_rows(function: Callable[..., Array], *columns: np.ndarray) -> np.ndarray:
    """A function of rows, for any number of them: filled up with copies of the first to a power of
    two. Each number of rows is compiled anew and kept for ever, and episodes have all lengths.

    >>> by_rows(lambda x: x + 1, np.arange(3.0)).tolist()
    [1.0, 2.0, 3.0]
    """
    count = len(columns[0])
    more = max(LEAST_ROWS, 1 << (count - 1).bit_length()) - count
    filled = (np.concatenate([x, np.repeat(x[:1], more, axis=0)]) for x in columns)
    return np.asarray(function(*map(jnp.asarray, filled)))[:count]
