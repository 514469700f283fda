"""Scores of a policy folder, which needs no run: episodes in the environment it was trained in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError
from depo.core.files import read_object
from depo.environments.family import EnvironmentSettings, family_of
from depo.environments.gymnasium_environment import TIME_LIMIT
from depo.evaluation.evaluator import Scoring
from depo.models.acting import Policy
from depo.models.card import SETTINGS
from depo.models.policy import DecoupledPolicy
from depo.models.policy_folder import load_policy
from depo.runs.home import home_of_policy
from depo.zoo.entries import is_zoo


def evaluate_policy(
    source: str | Path, *, episodes: int = 10, dynamics: str | None = None, trust: bool = False
) -> dict[str, float | str]:
    """Scores of the policy of a folder, or of ``zoo:NAME``, by its family's report."""
    policy = load_policy(source, trust=trust)
    environment = home_of_policy(policy, trust=trust)
    if environment is None:
        raise DepoError(
            f"this policy was trained in {policy.origin.environment}, which is not known by that "
            "name alone: evaluate its run, or act with it in your own loop"
        )
    if dynamics is not None:
        environment = replace(environment, dynamics=dynamics)
    family, model = family_of(environment), policy.model
    planned = getattr(getattr(model, "planner", None), "predicts", ())
    compares = family.needs_demonstrations
    scoring = Scoring(
        (policy.origin.seed,),
        demos=family.demonstrations(environment) if compares else None,
        planned=tuple(planned),
        remember=policy.remembers,
        episodes=episodes,
    )
    evaluator = family.report(environment, scoring)
    try:
        skill = model.skill if isinstance(model, DecoupledPolicy) else None
        about = {"seed": policy.origin.seed, "env_steps": policy.origin.env_steps}
        about |= {"episodes": episodes} if family.plays_episodes else {}
        return {**about, **evaluator([model], [skill])[0]}
    finally:
        evaluator.close()


def is_policy_folder(source: object) -> bool:
    """Whether it is ``zoo:NAME`` or a policy folder, rather than a run."""
    if is_zoo(source):
        return True
    if not isinstance(source, str | Path) or not (Path(source) / SETTINGS).is_file():
        return False
    return read_object(Path(source) / SETTINGS).get("kind") == "policy"


@dataclass(frozen=True)
class Played:
    """Episodes of a policy, acting one observation after the other as its user would."""

    returns: np.ndarray
    lengths: np.ndarray


def play(policy: Policy, environment: EnvironmentSettings, seeds: Sequence[int]) -> Played:
    """An episode for each seed, in the environment's own units."""
    own = environment.gymnasium()
    env = own.as_registered()
    most = (env.spec and env.spec.max_episode_steps) or TIME_LIMIT
    returns, lengths = [], []
    for seed in seeds:
        observation, _ = env.reset(seed=seed)
        policy.reset()
        total, length, done = 0.0, 0, False
        while not done and length < most:
            observation, reward, ended, cut, _ = env.step(policy.act(observation))
            total, length, done = total + float(reward), length + 1, ended or cut
        returns.append(total)
        lengths.append(length)
    env.close()
    return Played(np.array(returns), np.array(lengths))
