"""The help of a transfer."""

from __future__ import annotations

from depo.environments.dynamics import VARIANTS
from tests.support.command import call


def test_help_of_transfer_names_every_dynamics_and_wants_a_planner_for_flags(capsys) -> None:
    assert call("transfer", "--help") == 0
    shown = capsys.readouterr().out
    assert all(f"  {name}" in shown for name in VARIANTS)
    assert call("transfer", "no-such-planner", "--help") == 0
    assert capsys.readouterr().out == shown
    assert call("transfer", "no-such-planner", "--env", "hopper", "--help") == 0
    assert "--unfreeze-after" in capsys.readouterr().out
