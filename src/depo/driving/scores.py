"""Scores of driving: every vehicle of a part once, and how like the recorded drivers it looks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from depo.driving.drivers import Driver, ExpertReplay, PolicyDriver
from depo.driving.environment import DrivingEnvironment, Ego, Outcome
from depo.driving.opening import open_environment, open_recording, vehicles_of
from depo.driving.settings import DrivingSettings, Part
from depo.driving.skill import planned_velocity
from depo.driving.surroundings import NEIGHBOURS, RANGE
from depo.evaluation.densities import authors_divergence, road_divergence, wasserstein
from depo.evaluation.evaluator import Scores
from depo.models.policy import PolicyModel
from depo.models.skill import Skill

AT_ONCE = 100
"""Steps in one compiled call; between them it is seen whether anybody still drives."""
_AHEAD = 4 * (1 + NEIGHBOURS.index("ahead"))


class Drives(NamedTuple):
    """One episode for each vehicle, (time, vehicles, …); ``playing`` tells which steps happened."""

    state: np.ndarray
    plan: np.ndarray
    reached: np.ndarray
    gap: np.ndarray
    """Metres from the front to the rear of the one ahead; NaN where nobody is seen."""
    playing: np.ndarray
    outcome: Outcome
    """(vehicles) how each episode ended."""

    def positions(self) -> np.ndarray:
        """Every place an ego has been at."""
        return self.state[self.playing][:, :2]

    def path(self, vehicle: int) -> np.ndarray:
        """(n, 28): all states of one episode, the last one reached among them."""
        steps = int(self.playing[:, vehicle].sum())
        return np.concatenate(
            [self.state[:steps, vehicle], self.reached[steps - 1 : steps, vehicle]]
        )

    def speeds(self) -> np.ndarray:
        """Every speed."""
        return np.hypot(*self.state[self.playing][:, 2:4].T)

    def gaps(self) -> np.ndarray:
        """Every gap to the one ahead."""
        gaps = self.gap[self.playing]
        return gaps[np.isfinite(gaps)]

    def distances(self) -> np.ndarray:
        """Metres along the road that each ego got."""
        last = self.playing.sum(axis=0) - 1
        end = self.reached[last, np.arange(len(last)), 0]
        return end - self.state[0, :, 0]


def play(
    environment: DrivingEnvironment, driver: Driver, vehicles: Iterable[int] | None = None
) -> Drives:
    """Let a driver take the place of each vehicle once; None: of all the environment offers."""
    chosen = np.asarray(environment.choice if vehicles is None else list(vehicles), np.int32)
    ego = environment.begin(jnp.asarray(chosen), jnp.zeros((len(chosen), 2), jnp.uint32))
    now = environment.start_state[jnp.asarray(chosen)]
    over, parts = np.zeros(len(chosen), bool), []
    flags = np.zeros((4, len(chosen)), bool)
    while not over.all():
        ego, now, steps = _some_steps(environment, driver, ego, now)
        before, plan, reached, gap, ended = (np.asarray(column) for column in steps)
        # a step happened if nothing had ended before it
        ends = ended.any(axis=1).astype(int)
        playing = (np.cumsum(ends, axis=0) - ends == 0) & ~over
        flags |= (ended & playing[:, None]).any(axis=0)
        parts.append((before, plan, reached, gap, playing))
        over |= ended.any(axis=(0, 1))
    state, plan, reached, gap, playing = (np.concatenate(c) for c in zip(*parts, strict=True))
    return Drives(state, plan, reached, gap, playing, Outcome(*flags))


def scores(
    environment: DrivingEnvironment, drives: Drives, expert: Drives | None = None
) -> dict[str, float]:
    """Every score of some drives; ``expert`` are the recorded drivers', played if not given."""
    expert = play(environment, ExpertReplay()) if expert is None else expert
    road = environment.scene.road
    right = max(road.right_edge, float(road.right_limit(road.zone[0])))
    area = (road.zone, (road.lateral_origin, right))
    own, other = drives.positions(), expert.positions()
    outcome = drives.outcome
    return {
        "success": float(outcome.arrived.mean()),
        "collisions": float(outcome.collided.mean()),
        "off_road": float(outcome.off_road.mean()),
        "out_of_time": float(outcome.out_of_time.mean()),
        "distance": float(drives.distances().mean()),
        "position_divergence": road_divergence(own, other, area),
        "position_divergence_authors": authors_divergence(own, other, other.mean(0), other.std(0)),
        "speed_distance": wasserstein(drives.speeds(), expert.speeds()),
        "gap_distance": wasserstein(drives.gaps(), expert.gaps()),
        **velocity_reach_error(drives),
    }


def velocity_reach_error(drives: Drives) -> dict[str, float]:
    """Mean square of (planned − reached) velocity, (m/s)², and relative to planning no change."""
    if not drives.plan.shape[-1]:
        return {}
    played = drives.playing
    reached, before = drives.reached[played][:, 2:4], drives.state[played][:, 2:4]
    planned = np.stack(planned_velocity(jnp.asarray(drives.plan[played])), axis=1)
    error = float(np.mean((planned - reached) ** 2))
    still = float(np.mean((before - reached) ** 2))
    return {
        "velocity_reach_error": error,
        "velocity_reach_error_relative": error / max(still, 1e-12),
    }


class DrivingEvaluator:
    """Scores on the vehicles that models are chosen by, and on those they are tested on.

    The latter are called ``test_…``. A return is a success, so both names are given. A recording
    without vehicles to choose by (the authors' 85/15) is scored on test vehicles alone.
    """

    def __init__(self, settings: DrivingSettings):
        recording = open_recording(settings.recording)
        parts: tuple[Part, ...] = ("validation", "test")
        self.environments = {
            part: open_environment(replace(settings, part=part))
            for part in parts
            if part == "test" or len(vehicles_of(recording, part))
        }
        self.experts = {part: play(env, ExpertReplay()) for part, env in self.environments.items()}

    @property
    def chosen_by(self) -> str:
        """The score that chooses a model; test vehicles choose nothing."""
        return "success" if "validation" in self.environments else ""

    def __call__(self, policies: Sequence[PolicyModel], skills: Sequence[Skill | None]) -> Scores:
        """Every score of the policies without their randomness."""
        del skills
        return [self.of(PolicyDriver(policy)) for policy in policies]

    def close(self) -> None:
        """Nothing to close."""

    def of(self, driver: Driver) -> dict[str, float]:
        """Every score of a driver, be it one that learns nothing."""
        found: dict[str, float] = {}
        for part, environment in self.environments.items():
            drives = play(environment, driver)
            own = scores(environment, drives, self.experts[part])
            before = "" if part == "validation" else f"{part}_"
            found |= {f"{before}{name}": value for name, value in own.items()}
        return {"return": found.get("success", found["test_success"]), **found}


@eqx.filter_jit
def _some_steps(
    environment: DrivingEnvironment, driver: Driver, ego: Ego, state: Array
) -> tuple[Ego, Array, tuple[Array, ...]]:
    def step(
        carry: tuple[Ego, Array], _: Int[Array, ""]
    ) -> tuple[tuple[Ego, Array], tuple[Array, ...]]:
        ego, state = carry
        decision = driver.decide(environment, ego, state)
        after, reached, outcome = environment.drive(ego, decision.action)
        gap = _gap(environment, ego, state)
        return (after, reached), (state, decision.plan, reached, gap, jnp.stack(outcome))

    (ego, state), steps = jax.lax.scan(step, (ego, state), jnp.arange(AT_ONCE))
    return ego, state, steps


def _gap(environment: DrivingEnvironment, ego: Ego, state: Array) -> Array:
    """From the front to the rear of the one ahead, if anybody is seen there."""
    own, ahead = state[:, :4], state[:, _AHEAD : _AHEAD + 4]
    if environment.gaps:
        return jnp.where(ahead[:, 0] < RANGE, ahead[:, 0], jnp.nan)
    nobody = jnp.all(own == ahead, axis=1)
    return jnp.where(nobody, jnp.nan, ahead[:, 0] - own[:, 0] - environment.size(ego.vehicle)[0])
