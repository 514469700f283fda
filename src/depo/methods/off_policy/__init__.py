"""Off-policy methods on vectors, found by their settings."""

from __future__ import annotations

from depo.methods.off_policy.actor_critic import GAIfODPMethod, GAIfOMethod, SACMethod
from depo.methods.off_policy.cloning import BCOMethod, SupervisedMethod
from depo.methods.off_policy.depo import AgnosticMethod, DePOMethod, DePORLMethod
from depo.methods.off_policy.method import OffPolicyMethod, Pace
from depo.methods.off_policy.transfer import TransferMethod
from depo.settings.off_policy import (
    BCO,
    SAC,
    Agnostic,
    DePO,
    DePORL,
    GAIfO,
    GAIfODP,
    OffPolicySettings,
    SkillTransfer,
    Supervised,
)

__all__ = ["OffPolicyMethod", "make_method"]


def make_method(settings: OffPolicySettings, updates: int = 0, turns: int = 1) -> OffPolicyMethod:
    """The method whose settings these are, for a run of so many updates; ``turns`` kinds, each
    with a method of its own, may take turns with one planner."""
    pace = Pace(updates, settings.anneal, settings.anneal_after, turns=turns)
    match settings:
        case SkillTransfer():
            return TransferMethod(settings, pace)
        case DePO():
            return DePOMethod(settings, pace)
        case Agnostic():
            return AgnosticMethod(settings, pace)
        case Supervised():
            return SupervisedMethod(settings, pace)
        case DePORL():
            return DePORLMethod(settings, pace)
        case GAIfODP():
            return GAIfODPMethod(settings, pace)
        case GAIfO():
            return GAIfOMethod(settings, pace)
        case BCO():
            return BCOMethod(settings, pace)
        case SAC():
            return SACMethod(settings, pace)
    raise TypeError(f"no off-policy method has the settings {type(settings).__name__}")
