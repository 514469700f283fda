from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np


def test_held_out_transitions_are_never_trained_on() -> None:
    from depo.data.transitions import Rollout
    from depo.methods.on_policy.experience import HELD_OUT, Memory

    n = 50
    index = jnp.arange(n, dtype=jnp.int32).reshape(n, 1)
    flags = jnp.zeros((n, 1), bool)
    rollout = Rollout(index, index, index, index, jnp.zeros((n, 1)), flags, flags)
    memory = Memory.empty(3 * n).add(rollout)
    assert int(memory.size) == n
    trained = set(np.asarray(memory.sample(jax.random.key(0), (5_000,)).state).tolist())
    held = set(np.asarray(memory.sample_held_out(jax.random.key(1), (5_000,)).state).tolist())
    assert held == {i for i in range(n) if i % HELD_OUT == HELD_OUT - 1}
    assert trained == set(range(n)) - held


def test_what_led_elsewhere_is_less_likely_than_what_was_not_tried() -> None:
    from depo.data.transitions import Triples
    from depo.methods.on_policy.experience import Memory

    #             (s, a, s'); the fifth is held out, and the last two lie beyond the size
    rows = [(0, 0, 1), (0, 0, 1), (0, 1, 2), (1, 2, 0), (0, 2, 1), (0, 2, 2), (0, 3, 2), (1, 0, 2)]
    columns = (jnp.array(column, jnp.int32) for column in zip(*rows, strict=True))
    memory = Memory(Triples(*columns), jnp.asarray(6))
    known = np.asarray(memory.posterior(jnp.array([2, 2, 2]), actions=4))
    np.testing.assert_allclose(known.sum(axis=1), 1.0, rtol=1e-5)
    elsewhere, there, also_there, untried = known[0]
    assert there == also_there > untried > elsewhere
    # by hand: (n(s,a,s') + 0.1/3) / (n(s,a) + 0.1)
    likelihood = np.array([0.1 / 3 / 2.1, (1 + 0.1 / 3) / 1.1, (1 + 0.1 / 3) / 1.1, 1 / 3])
    np.testing.assert_allclose(known[0], likelihood / likelihood.sum(), rtol=1e-5)
    assert known[1].argmin() == 2
    assert known[1][0] == known[1][3]  # neither was tried
    np.testing.assert_allclose(known[2], 0.25)


def test_noise_is_how_often_the_same_try_ended_elsewhere() -> None:
    from depo.data.transitions import Triples
    from depo.methods.on_policy.experience import Memory

    def noise(*rows: tuple[int, int, int], size: int) -> float:
        columns = (jnp.array(column, jnp.int32) for column in zip(*rows, strict=True))
        return float(Memory(Triples(*columns), jnp.array(size)).noise(states=3, actions=2))

    sure = [(0, 0, 1), (0, 1, 2), (0, 0, 1), (1, 0, 0), (0, 0, 1)]
    assert noise(*sure, (0, 0, 2), size=5) == 0.0  # the last lies beyond the size
    assert np.isclose(noise(*sure, (0, 0, 2), size=6), 1 / 3)  # three tries after the first
    assert np.isclose(noise(*sure, (1, 0, 2), size=6), 1 / 3)
    assert noise((0, 0, 1), (1, 0, 1), size=2) == 0.0
