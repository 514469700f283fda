"""Off-policy methods on vectors, found by their settings."""

from __future__ import annotations

from depo.methods.off_policy.actor_critic import GAIfODPMethod, GAIfOMethod, SACMethod
from depo.methods.off_policy.cloning import BCOMethod, SupervisedMethod
from depo.methods.off_policy.depo import AgnosticMethod, DePOMethod
from depo.methods.off_policy.method import OffPolicyMethod
from depo.settings.off_policy import (
    BCO,
    SAC,
    Agnostic,
    DePO,
    GAIfO,
    GAIfODP,
    OffPolicySettings,
    Supervised,
)

__all__ = ["OffPolicyMethod", "make_method"]


def make_method(settings: OffPolicySettings) -> OffPolicyMethod:
    """The method whose settings these are."""
    match settings:
        case DePO():
            return DePOMethod(settings)
        case Agnostic():
            return AgnosticMethod(settings)
        case Supervised():
            return SupervisedMethod(settings)
        case GAIfODP():
            return GAIfODPMethod(settings)
        case GAIfO():
            return GAIfOMethod(settings)
        case BCO():
            return BCOMethod(settings)
        case SAC():
            return SACMethod(settings)
    raise TypeError(f"no off-policy method has the settings {type(settings).__name__}")
