"""What is known of a step, at each place where steps are handed on: no more fields than are there.

======================  =========================================================================
:class:`Transitions`    vectors, in the replay (NumPy) and in minibatches drawn from it (JAX)
:class:`Rollout`        finite states, an iteration in order: advantages need time, ends and plans
:class:`Triples`        finite states, all that a skill ever learns from: kept for the whole run
:data:`Pairs`           an expert's (s,s'): there are no actions
:class:`Acted`          an expert's (s,s') and the action between, for methods that imitate actions
======================  =========================================================================

Environments have records of their own, which also say where to go on from (``Step``, ``Moved``);
evaluation has whole episodes (``Episodes``, ``Drives``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from jaxtyping import Array, Bool, Float, Int

Arrays = TypeVar("Arrays", Array, np.ndarray)
"""JAX's or NumPy's."""
Pairs = tuple[Arrays, Arrays]
"""Expert transitions (s,s'), one in each row."""


class Acted(NamedTuple):
    """Expert transitions with the action that was taken, one in each row; as :data:`Pairs`, the
    first two fields are s and s'.

    >>> x = np.zeros((2, 3))
    >>> len(Acted(x, x, x[:, :1]).pairs)
    2
    """

    state: Any
    next_state: Any
    action: Any

    @property
    def pairs(self) -> Pairs:
        """(s,s') alone."""
        return self.state, self.next_state


Expert = Pairs | Acted
"""What a method is shown of an expert."""


class Transitions(NamedTuple):
    """Steps between vector states, one in each row; a minibatch may have an axis of updates before.

    >>> x = np.zeros((2, 3), np.float32)
    >>> Transitions(x, x[:, :1], x, x[:, 0], x[:, 0] > 0).next_state.shape
    (2, 3)
    """  # arrays of NumPy or of JAX: the type checker of the tests knows no generic named tuples

    state: Any
    action: Any
    next_state: Any
    reward: Any
    terminated: Any


def with_kept_goal(pairs: Pairs[np.ndarray], goal: Sequence[int]) -> Pairs[np.ndarray]:
    """(s,s') in which the goal of s is the goal of s' as well, where an environment draws a new
    one once it is reached: a step is made, rewarded and continued towards the goal it was for.

    >>> s, after = with_kept_goal((np.array([[0.0, 5.0]]), np.array([[1.0, 9.0]])), [1])
    >>> after.tolist()
    [[1.0, 5.0]]
    """
    state, next_state = pairs
    if not goal:
        return pairs
    kept, columns = next_state.copy(), list(goal)
    kept[:, columns] = state[:, columns]
    return state, kept


class Rollout(NamedTuple):
    """One iteration's steps between finite states, time first, then copies of the environment."""

    state: Int[Array, "time copies"]
    action: Int[Array, "time copies"]
    plan: Int[Array, "time copies"]
    next_state: Int[Array, "time copies"]
    reward: Float[Array, "time copies"]
    terminated: Bool[Array, "time copies"]
    truncated: Bool[Array, "time copies"]


class Triples(NamedTuple):
    """(s, a, s') between finite states, one in each row."""

    state: Int[Array, " rows"]
    action: Int[Array, " rows"]
    next_state: Int[Array, " rows"]
