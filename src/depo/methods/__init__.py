"""Methods: a few losses put together, found by name."""

from __future__ import annotations

from depo.methods.actor_critic import GAIfOMethod, PPOMethod
from depo.methods.cloning import BCOMethod, SupervisedMethod
from depo.methods.depo import AgnosticMethod, CalibratedMethod, DePOMethod
from depo.methods.method import Agent, Method
from depo.methods.transfer import TransferMethod
from depo.settings import (
    BCO,
    PPO,
    Agnostic,
    Calibrated,
    DePO,
    GAIfO,
    MethodSettings,
    SkillTransfer,
    Supervised,
)

__all__ = ["Agent", "Method", "TransferMethod", "make_method"]


def make_method(settings: MethodSettings) -> Method:
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
