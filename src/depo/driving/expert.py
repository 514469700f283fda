"""The recorded drivers' states: what methods imitate."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from depo.data.demonstrations import Demonstrations
from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.settings import ID

AT_ONCE = 64
"""Frames looked at in one compiled call."""


def expert_demonstrations(
    environment: DrivingEnvironment, vehicles: Sequence[int] | np.ndarray | None = None
) -> Demonstrations:
    """One episode for each vehicle, from where it enters the zone to the first state beyond it.

    The poses are those of the recording; nobody is driven, so no collision cuts an episode.
    """
    scene = environment.scene
    chosen = np.asarray(environment.choice if vehicles is None else vehicles, np.int64)
    start = np.asarray(scene.start_frame)[chosen]
    last = np.asarray(scene.last_row - scene.row_of_frame_0)[chosen]
    longest = int((last - start).max()) + 1
    states = np.concatenate(
        [
            np.asarray(_seen(environment, jnp.asarray(chosen), jnp.asarray(start + begin)))
            for begin in range(0, longest, AT_ONCE)
        ]
    )
    beyond = states[:, :, 0] > scene.road.zone[1]
    lengths = np.where(beyond.any(axis=0), np.argmax(beyond, axis=0), last - start) + 1
    return Demonstrations(
        observations=np.concatenate([states[:n, i] for i, n in enumerate(lengths)]),
        episode_lengths=lengths,
        episode_returns=np.ones(len(chosen)),
        feature_names=environment.features,
        metadata={"environment": ID, "source": "recorded traffic", "vehicles": chosen.tolist()},
    )


@eqx.filter_jit
def _seen(
    environment: DrivingEnvironment, vehicle: Int[Array, " copies"], begin: Int[Array, " copies"]
) -> Float[Array, "times copies 28"]:
    def look(_: None, t: Int[Array, ""]) -> tuple[None, Float[Array, "copies 28"]]:
        frame = begin + t
        ego = environment.begin(vehicle, jnp.zeros((len(vehicle), 2), jnp.uint32))
        pose = environment.scene.recorded(vehicle, frame)
        return None, environment.observe(Ego(vehicle, frame, pose, ego.elapsed, ego.key))

    return jax.lax.scan(look, None, jnp.arange(AT_ONCE))[1]
