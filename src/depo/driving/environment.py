"""Driving one vehicle through recorded traffic: pure functions, many egos at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from depo.core.errors import DepoError
from depo.driving.kinematics import Pose, move
from depo.driving.scene import Scene
from depo.driving.surroundings import FEATURES, GAP_FEATURES, look
from depo.driving.traffic.overlaps import TOLERANCE
from depo.driving.vehicles import Vehicle


class Ego(NamedTuple):
    """Whose place is taken, in which frame, where the ego is, for how many steps; its own key."""

    vehicle: Int[Array, "*copies"]
    frame: Int[Array, "*copies"]
    pose: Pose
    elapsed: Int[Array, "*copies"]
    key: UInt32[Array, "*copies 2"]


class Outcome(NamedTuple):
    """What one action led to; at most one of the four is true of an episode's last step."""

    arrived: Bool[Array, "*copies"]
    collided: Bool[Array, "*copies"]
    off_road: Bool[Array, "*copies"]
    out_of_time: Bool[Array, "*copies"]


class Step(NamedTuple):
    """What an action did; ``ego`` and ``state`` have begun the next episode where one ended."""

    ego: Ego
    state: Float[Array, "*copies 28"]
    reached: Float[Array, "*copies 28"]
    reward: Float[Array, "*copies"]
    terminated: Bool[Array, "*copies"]
    truncated: Bool[Array, "*copies"]
    outcome: Outcome


class DrivingEnvironment(eqx.Module):
    """The ego takes the place of a recorded vehicle where that enters the zone, and drives on.

    ``choice`` are the vehicles whose place may be taken. Reward 1 on arrival and else 0, so that
    a return is a success. Collision and leaving the road terminate. Arrival truncates, because
    the road goes on, unless ``arrival_ends``.
    """

    scene: Scene
    choice: Int[Array, " choices"]
    start_state: Float[Array, "vehicles 28"]
    body: Vehicle = eqx.field(static=True)
    horizon: int = eqx.field(static=True)
    depth: float = eqx.field(static=True)
    arrival_ends: bool = eqx.field(static=True)
    gaps: bool = eqx.field(static=True)
    """Whether neighbours are seen from the ego, from bumper to bumper."""

    def __init__(
        self,
        scene: Scene,
        body: Vehicle,
        vehicles: Sequence[int] | np.ndarray | None = None,
        *,
        horizon: int = 1500,
        depth: float = TOLERANCE,
        arrival_ends: bool = False,
        gaps: bool = False,
    ):
        self.scene, self.body, self.horizon = scene, body, horizon
        self.depth, self.arrival_ends, self.gaps = depth, arrival_ends, gaps
        self.start_state, hit = _look_at_starts(scene, body, depth, gaps)
        asked = np.arange(scene.vehicles) if vehicles is None else np.asarray(vehicles, np.int64)
        fits = np.asarray(scene.drivable & ~hit)
        chosen = asked[fits[asked]]
        if not len(chosen):
            raise DepoError(
                f"none of the {len(asked)} vehicles leaves the zone at its end and has room for a "
                f"{body.name} vehicle where it enters: choose others"
            )
        self.choice = jnp.asarray(chosen, jnp.int32)

    def begin(self, vehicle: Int[Array, "*copies"], key: UInt32[Array, "*copies 2"]) -> Ego:
        """Egos in the places of these vehicles."""
        return Ego(
            vehicle,
            self.scene.start_frame[vehicle],
            Pose(*(column[vehicle] for column in self.scene.start)),
            jnp.zeros_like(vehicle),
            key,
        )

    def begin_one(self, vehicle: int) -> Ego:
        """One ego in the place of a vehicle, for a drive without restarts."""
        if not 0 <= vehicle < self.scene.vehicles:
            raise DepoError(
                f"vehicle {vehicle} is not in the recording, which has {self.scene.vehicles}"
            )
        if not self.scene.drivable[vehicle]:
            raise DepoError(
                f"vehicle {vehicle} is not seen entering the zone and leaving it at its end: "
                "choose another"
            )
        return self.begin(jnp.array([vehicle], jnp.int32), jnp.zeros((1, 2), jnp.uint32))

    def reset(self, key: UInt32[Array, "copies 2"]) -> tuple[Ego, Float[Array, "copies 28"]]:
        """Egos in the places of vehicles drawn from ``choice``, one for each key."""
        keys = jax.vmap(jax.random.split)(jax.random.wrap_key_data(key))
        vehicle = jax.vmap(self.draw)(keys[:, 0])
        return self.begin(vehicle, jax.random.key_data(keys[:, 1])), self.start_state[vehicle]

    def draw(self, key: Key[Array, ""]) -> Int[Array, ""]:
        """A vehicle of ``choice``, each as likely."""
        return self.choice[jax.random.randint(key, (), 0, len(self.choice))]

    def step(self, ego: Ego, action: Float[Array, "copies 2"]) -> Step:
        """Move every ego by its action; where an episode ended the next begins at once."""
        moved, reached, outcome = self.drive(ego, action)
        reward = outcome.arrived.astype(jnp.float32)
        terminated, truncated = self.ends(outcome)
        ended = terminated | truncated

        def restart() -> tuple[Ego, Float[Array, "copies 28"]]:
            fresh, state = self.reset(ego.key)
            chosen = jax.tree.map(
                lambda new, old: jnp.where(_like(ended, new), new, old), fresh, moved
            )
            return chosen, jnp.where(ended[:, None], state, reached)

        after, state = jax.lax.cond(ended.any(), restart, lambda: (moved, reached))
        return Step(after, state, reached, reward, terminated, truncated, outcome)

    def ends(self, outcome: Outcome) -> tuple[Bool[Array, "*copies"], Bool[Array, "*copies"]]:
        """Which episodes terminated, and which were cut."""
        terminated = outcome.collided | outcome.off_road
        truncated = outcome.out_of_time
        if self.arrival_ends:
            return terminated | outcome.arrived, truncated
        return terminated, truncated | outcome.arrived

    def drive(
        self, ego: Ego, action: Float[Array, "copies 2"]
    ) -> tuple[Ego, Float[Array, "copies 28"], Outcome]:
        """Move every ego by its action and look around; nobody restarts."""
        return jax.vmap(self.drive_one)(ego, action)

    def drive_one(
        self, ego: Ego, action: Float[Array, " 2"]
    ) -> tuple[Ego, Float[Array, " 28"], Outcome]:
        """The same for one ego, whose arrays have no axis of copies."""
        scene = self.scene
        most = self.body.most_curvature(self.size(ego.vehicle)[0])
        acceleration, curvature = self.body.decode(action)
        pose = move(ego.pose, acceleration, jnp.clip(curvature, -most, most), scene.time_step)
        frame, elapsed = ego.frame + 1, ego.elapsed + 1
        state, collided = self._look(ego.vehicle, frame, pose)
        off_road = scene.road.off_road(pose.x, pose.y) & ~collided
        arrived = (pose.x > scene.road.zone[1]) & ~collided & ~off_road
        over = (elapsed >= self.horizon) | (frame >= scene.end_frame[ego.vehicle])
        out_of_time = over & ~(collided | off_road | arrived)
        moved = Ego(ego.vehicle, frame, pose, elapsed, ego.key)
        return moved, state, Outcome(arrived, collided, off_road, out_of_time)

    def observe(self, ego: Ego) -> Float[Array, "copies 28"]:
        """The states of egos."""
        return jax.vmap(self._look)(ego.vehicle, ego.frame, ego.pose)[0]

    def _look(
        self, vehicle: Int[Array, ""], frame: Int[Array, ""], pose: Pose
    ) -> tuple[Float[Array, " 28"], Bool[Array, ""]]:
        size = self.size(vehicle)
        return look(self.scene, vehicle, frame, pose, size, self.depth, self.gaps)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the numbers of a state."""
        return GAP_FEATURES if self.gaps else FEATURES

    def size(self, vehicle: Int[Array | np.ndarray, "*copies"]) -> tuple[Array, Array]:
        """Length and width of the ego in a vehicle's place."""
        return _size(self.scene, self.body, vehicle)


def _size(
    scene: Scene, body: Vehicle, vehicle: Int[Array | np.ndarray, "*copies"]
) -> tuple[Array, Array]:
    return scene.length[vehicle] * body.length_scale, scene.width[vehicle] * body.width_scale


@eqx.filter_jit
def _look_at_starts(
    scene: Scene, body: Vehicle, depth: float, gaps: bool
) -> tuple[Float[Array, "vehicles 28"], Bool[Array, " vehicles"]]:
    """What every vehicle sees where it enters the zone, and whether there is no room for it."""

    def one(vehicle: Int[Array, ""], frame: Int[Array, ""], pose: Pose) -> tuple[Array, Array]:
        return look(scene, vehicle, frame, pose, _size(scene, body, vehicle), depth, gaps)

    return jax.vmap(one)(jnp.arange(scene.vehicles), scene.start_frame, scene.start)


def _like(mask: Bool[Array, " copies"], array: Array) -> Array:
    """The mask with as many axes as an array."""
    return mask.reshape(mask.shape + (1,) * (array.ndim - 1))
