from __future__ import annotations

import numpy as np

from depo.analysis.recordings.moves import Moves
from depo.analysis.recordings.reachable import SURE, Linear, reach
from tests.support.cart import STEP, demonstrations, explored, recording

EXPERT = Moves.of(demonstrations(recording()))


def test_steps_of_the_same_dynamics_are_reached_and_faster_ones_are_not() -> None:
    found = reach(EXPERT, explored())
    assert found is not None
    assert found.comparable >= 20
    assert found.share > 0.9
    assert found.usual == SURE
    push = STEP * np.array([0.0, 0.0, 8.0, 0.0])
    pushed = Moves(EXPERT.states, EXPERT.reached + push, EXPERT.starts)
    shifted = reach(pushed, explored())
    assert shifted is not None
    assert shifted.share < 0.2


def test_states_far_away_are_not_compared() -> None:
    away = Moves(EXPERT.states + 40, EXPERT.reached + 40, EXPERT.starts)
    found = reach(away, explored())
    assert found is not None
    assert found.comparable == 0


def test_too_little_exploration_says_nothing() -> None:
    few = explored().moves
    short = type(explored())(
        Moves(few.states[:10], few.reached[:10], few.starts),
        explored().actions[:10],
        explored().low,
        explored().high,
        None,
        None,
    )
    assert reach(EXPERT, short) is None


def test_actions_of_nearly_one_effect_are_told_apart() -> None:
    """As in a plant: fuel and air both raise the pressure, and a little differ in what is left of
    the oxygen. A descent along the gradient misses every step at the edge of the actions."""
    generator = np.random.default_rng(0)
    states, actions = generator.normal(size=(400, 2)), generator.uniform(-1, 1, (400, 2))
    effect = np.array([[100.0, 0.010], [400.0, 0.045]])
    model = Linear(states[::2], actions[::2], actions[::2] @ effect)
    model.calibrate(Moves(states[1::2], (states + actions @ effect)[1::2], states[:1]))
    near = states[model.is_near(states)]
    edge = np.tile([[1.0, -1.0]], (len(near), 1)) @ effect
    assert (model.misses(near, edge) <= 1).all()
    assert (model.misses(near, 1.5 * edge) > 1).all()
