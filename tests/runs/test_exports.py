"""What cards say of the demonstrations."""

from __future__ import annotations

import numpy as np
import pytest

from depo.api import make_job
from depo.data import Demonstrations
from depo.runs.exports import describe_demonstrations

DEMOS = Demonstrations.from_episodes([np.zeros((3, 11))] * 10)


@pytest.mark.parametrize(
    ("method", "more", "said"),
    [
        ("depo", {"overrides": {"demo_episodes": 4}}, "mine.npz: 4 of 10 state-only episodes"),
        ("gaifo", {"overrides": {"demo_episodes": 20}}, "mine.npz: 10 state-only episodes"),
        ("sac", {}, "no demonstrations"),  # they only say what an expert gets
        ("transfer", {}, "no demonstrations"),
        (
            "transfer",
            {"overrides": {"unfreeze_after": 9_000, "demo_episodes": 3}},
            "mine.npz: 3 of 10 state-only episodes",
        ),
    ],
)
def test_a_card_names_the_episodes_that_were_used(method: str, more: dict, said: str) -> None:
    job = make_job(method, env="hopper", demos="there/mine.npz", **more)
    assert describe_demonstrations(job, DEMOS, seed=3) == said
    assert describe_demonstrations(job, None, seed=3) == "no demonstrations"
