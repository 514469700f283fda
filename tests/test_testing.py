"""What an outsider asks of his method says what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.models.acting import Policy, Space
from depo.testing import check_method, check_policy


def test_too_short_a_run_says_how_long_it_must_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saving = SimpleNamespace(saving=SimpleNamespace(checkpoint_every=2))
    job = SimpleNamespace(steps=8, steps_per_block=8, settings=saving)
    run = SimpleNamespace(job=job, is_finished=lambda: True)
    monkeypatch.setattr("depo.testing.train", lambda *_, **__: run)
    with pytest.raises(DepoError, match=r"8 steps have no checkpoint .* raise steps to 32"):
        check_method("depo-supervised", tmp_path, steps=8)


class Acts:
    """Acts by a function of how often it was asked."""

    def __init__(self, act, actions: Space):
        self._act, self.actions, self._asked = act, actions, 0

    def act(self, observations: np.ndarray, **_: Any) -> np.ndarray:
        self._asked += 1
        return np.full(len(observations), self._act(self._asked))


BOX = Space.box(np.full(1, -2.0, np.float32), np.full(1, 2.0, np.float32))


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("act", "actions", "said"),
    [
        (lambda asked: asked, BOX, "acts otherwise in the same states"),
        (lambda _: np.inf, BOX, "no numbers"),
        (lambda _: 2.5, BOX, "acts outside of"),
        (lambda _: 3, Space.finite(3), "acts outside of"),
    ],
)
def test_actions_that_are_wrong_are_said(act, actions: Space, said: str) -> None:
    policy: Policy = Acts(act, actions)  # type: ignore[assignment]
    with pytest.raises(AssertionError, match=said):
        check_policy(policy, np.zeros(3))


@pytest.mark.wrong_types
def test_actions_that_are_right_pass() -> None:
    for act, actions in ((1.5, BOX), (2, Space.finite(3))):
        right: Any = Acts(lambda _, act=act: act, actions)
        check_policy(right, np.zeros(3))
