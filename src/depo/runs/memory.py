"""Whether what a job asks for fits the machine: judged by shapes, before anything is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from depo.core.errors import DepoError
from depo.core.limits import in_gib, memory
from depo.methods.settings_tree import flat_values
from depo.runs.job import Job

MOST_LAYERS = 64
"""Of a network; each is compiled on its own."""
COPIES = 4
"""Of a state while it is learned: before and after an update, gradients, and on its way to disk."""
ACTIVATIONS = 16
"""Arrays as large as a minibatch's hidden layer that an update holds at once."""
BYTES = 4
LOWER = "lower --hidden, --minibatch, --batch-steps or --seeds"


def fitting_shapes(job: Job, states: int, shapes: Callable[[], Any]) -> Any:
    """What ``shapes`` gives, the shapes of a job's state, if the job fits the machine."""
    values = flat_values(job.settings)
    settings = {name: value for name, value in values.items() if _is_number(value)}
    for name, value in settings.items():
        if name.endswith("depth") and value > MOST_LAYERS:
            raise DepoError(f"{name} {value:,}: a network has at most {MOST_LAYERS} layers")
    widths = [value for name, value in settings.items() if name.endswith("hidden")]
    largest = max(widths, default=1)
    if largest**2 * BYTES > memory():  # of one layer; tracing it would fail in other words
        raise _too_large(largest**2 * BYTES)
    try:
        state = shapes()
    except OverflowError:
        raise _too_large(math.inf) from None
    own = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state) if _is_plain(leaf))
    needed = COPIES * own + len(job.seeds) * _data(settings, job.steps, states, largest)
    if needed > memory():
        raise _too_large(needed)
    return state


def _data(settings: dict[str, Any], steps: int, states: int, hidden: int) -> float:
    """Bytes of a seed's replay, and of the minibatches of one compiled call."""
    row, gathered = BYTES * (2 * states + 8), settings.get("batch_steps", 1)
    rows, kept, drawn = settings.get("minibatch", gathered), 0, gathered
    if "replay" in settings:
        kept = min(max(settings["replay"], settings.get("skill_replay", 0)), steps)
        drawn = rows * max(1.0, gathered * settings.get("updates_per_step", 1.0))
    else:
        rows = min(rows, gathered)
    return row * (kept + 2 * drawn) + BYTES * ACTIVATIONS * rows * hidden


def _is_number(value: Any) -> bool:
    """Of whatever a method may call its settings, what a size can be."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_plain(leaf: Any) -> bool:
    return hasattr(leaf, "size") and not jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _too_large(needed: float) -> DepoError:
    return DepoError(
        f"this needs about {in_gib(needed)} of memory, the machine has {in_gib(memory())}: {LOWER}"
    )
