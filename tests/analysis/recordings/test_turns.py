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


@pytest.mark.parametrize(
    ("low", "turn", "remedy"),
    [
        (-np.pi, 2 * np.pi, "import it with --columns 'heading:wrapped', or take whole turns off"),
        (0.0, 2 * np.pi, ": take whole turns off it"),
        (-180.0, 360.0, ": take whole turns off it"),
    ],
)
def test_the_remedy_makes_the_range_that_the_environment_has(
    low: float, turn: float, remedy: str
) -> None:
    moves = explored().moves
    angle = np.cumsum(np.full(len(moves.states), turn / 30))
    both = low + np.mod(np.stack([angle, angle + turn / 30]), turn)
    own = replace(
        explored(),
        moves=Moves(
            np.c_[moves.states, both[0]],
            np.c_[moves.reached, both[1]],
            np.c_[moves.starts, np.full(len(moves.starts), low)],
        ),
        low=np.full(5, -np.inf),
        high=np.full(5, np.inf),
    )
    free = np.cumsum(np.random.default_rng(0).uniform(0.5, 1.5, 60)) * turn / 30
    demos = Demonstrations.from_episodes(
        [np.c_[walk, free] for walk in WALKS], feature_names=(*NAMES, "heading")
    )
    found = compare(demos, own, (*NAMES, "heading")).findings
    (turned,) = (finding.sentence for finding in found if finding.kind == "range")
    assert remedy in turned
