from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from depo.analysis.recordings.check import compare
from depo.analysis.recordings.moves import Moves
from depo.data import Demonstrations
from tests.support.cart import NAMES, explored, recording

WALKS = recording(episodes=3, length=60)


@pytest.mark.parametrize("bound", [np.inf, np.pi])
def test_an_angle_without_jumps_is_named_where_the_environment_wraps(bound: float) -> None:
    moves = explored().moves
    angle = np.cumsum(np.full(len(moves.states), 0.2))
    wrapped = np.angle(np.exp(1j * np.stack([angle, angle + 0.2])))
    start = np.zeros((len(moves.starts), 1))
    own = replace(
        explored(),
        moves=Moves(
            np.c_[moves.states, wrapped[0]],
            np.c_[moves.reached, wrapped[1]],
            np.c_[moves.starts, start],
        ),
        low=np.array([-50.0] * 4 + [-bound]),
        high=np.array([50.0] * 4 + [bound]),
    )
    names = (*NAMES, "heading")
    free = np.cumsum(np.r_[0.0, np.random.default_rng(0).uniform(0.1, 0.3, 59)])
    for walk, kinds in ((free, ["range"]), (np.angle(np.exp(1j * free)), [])):
        demos = Demonstrations.from_episodes([np.c_[w, walk] for w in WALKS], feature_names=names)
        found = compare(demos, own, names).findings
        assert [finding.kind for finding in found] == kinds
    assert compare(demos, own, names).fits
