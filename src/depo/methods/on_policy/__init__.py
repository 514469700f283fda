"""On-policy methods on finite states, found by their settings."""

from __future__ import annotations

from depo.methods.on_policy.actor_critic import GAIfOMethod, PPOMethod
from depo.methods.on_policy.cloning import BCOMethod, SupervisedMethod
from depo.methods.on_policy.depo import AgnosticMethod, CalibratedMethod, DePOMethod
from depo.methods.on_policy.method import Agent, Method
from depo.methods.on_policy.transfer import TransferMethod
from depo.settings.on_policy import (
    BCO,
    PPO,
    Agnostic,
    Calibrated,
    DePO,
    GAIfO,
    OnPolicySettings,
    SkillTransfer,
    Supervised,
)

__all__ = ["Agent", "Method", "TransferMethod", "make_method"]


def make_method(settings: OnPolicySettings) -> Method:
    """The method whose settings these are."""
    match settings:
        case DePO():
            return DePOMethod(settings)
        case Calibrated():
            return CalibratedMethod(settings)
        case Agnostic():
            return AgnosticMethod(settings)
        case Supervised():
            return SupervisedMethod(settings)
        case GAIfO():
            return GAIfOMethod(settings)
        case BCO():
            return BCOMethod(settings)
        case PPO():
            return PPOMethod(settings)
        case SkillTransfer():
            return TransferMethod(settings)
    raise TypeError(f"no on-policy method has the settings {type(settings).__name__}")
