"""Rows of the paper's table 1: facts read off the registered methods, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from depo.analysis.curves import curve
from depo.analysis.yardstick import yardstick_of
from depo.evaluation.statistics import first_crossing
from depo.experiments.claims import described, final_values
from depo.experiments.experiment import seconds, seeds_text, summarise
from depo.methods.registry import MethodSpec, methods
from depo.runs.run import Run

SHARE = 0.8
"""Of the expert's return or success, that steps are counted to."""
NOTHING = "–"
NOT_RUN = "not run"
KEEPS_NOTHING = f"{NOTHING} (nothing to carry over: no planner, no reward)"


class Facts(NamedTuple):
    """The columns of the paper's table, of one method."""

    inverse_model: str
    planner: bool
    decoupled: bool
    """Whether it acts by planner, then skill."""
    learns_from: str
    reward: bool
    """Whether it leaves a reward that others can learn from."""


def compared(specs: Mapping[str, MethodSpec]) -> list[MethodSpec]:
    """The methods that have a row: all that begin with nothing of another run."""
    return [spec for spec in specs.values() if not spec.takes_planner and not spec.takes_reward]


def facts_of(spec: MethodSpec) -> Facts:
    """What a method says of itself.

    >>> from depo.methods.registry import find_method
    >>> facts_of(find_method("sail"))[:4]
    ('yes', True, False, 'states')
    """
    inverse = spec.has_skill or "skill" in spec.exports
    planner = "planner" in spec.exports
    return Facts(
        inverse_model="by hand" if spec.needs_controllers else _yes(inverse),
        planner=planner,
        decoupled=planner and (spec.needs_controllers or "skill" in spec.exports),
        learns_from=_learns_from(spec),
        reward="reward" in spec.exports,
    )


def _learns_from(spec: MethodSpec) -> str:
    if spec.uses_reward:
        return "reward"
    return "states and actions" if spec.needs_actions else "states"


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def facts_table(specs: Iterable[MethodSpec]) -> str:
    """The paper's columns."""
    head = ["method", "inverse model", "state planner", "policy is the two", "learns from"]
    rows = []
    for spec in specs:
        own = facts_of(spec)
        rows.append(
            [spec.name, own.inverse_model, _yes(own.planner), _yes(own.decoupled), own.learns_from]
        )
    return _markdown(head, rows)


def results_table(
    task: str,
    score: str,
    change: str,
    learned: Mapping[str, Run],
    carried: Mapping[str, Run],
    reasons: Mapping[str, str],
) -> str:
    """What every method did on a task, and has after actions changed.

    ``reasons`` says of every method why it has no run there; empty: it could have one.
    """
    head = [
        task,
        described(score).title,
        f"steps to {SHARE:.0%} of the expert",
        "core-minutes, all seeds",
        "reach error relative to no move",
        f"after '{change}': {described(score).title}",
        "steps",
    ]
    expert = _expert(learned)
    rows = []
    for name, reason in reasons.items():
        if name in learned:
            cells = _measured(learned[name], score, expert)
        else:
            cells = [f"{NOTHING} ({reason})" if reason else NOT_RUN, *[NOTHING] * 3]
        rows.append([name, *cells, *_left(name, score, carried, reason)])
    for name in carried.keys() - reasons.keys():
        rows.append([name, *[NOTHING] * 4, *_left(name, score, carried, "")])
    return _markdown(head, rows)


def _measured(run: Run, score: str, expert: float) -> list[str]:
    return [
        summarise(run, score),
        seeds_text(steps_to_expert(run, expert), "median", 0),
        f"{seconds(run) / 60:.1f}",
        summarise(run, "reach_error_relative"),
    ]


def _left(name: str, score: str, carried: Mapping[str, Run], reason: str) -> list[str]:
    """What a method has after the change: the score, and the steps it took."""
    if name in carried:
        return [summarise(carried[name], score), f"{carried[name].job.total_steps:,}"]
    own = facts_of(methods()[name])
    if not (own.planner or own.reward):
        return [KEEPS_NOTHING, NOTHING]
    return [NOTHING if reason else NOT_RUN, NOTHING]


def steps_to_expert(run: Run, expert: float) -> np.ndarray:
    """Environment steps of every seed to a share of the expert: of success, which is 1 for those
    who recorded, where a run is scored by that; else of the mean return of the recording."""
    if "success" in run.final_scores()[0]:
        return final_values(run, f"steps_to_{SHARE * 100:.0f}")
    steps, returns = curve(run, "return")
    return np.array([first_crossing(steps, column, SHARE * expert) for column in returns.T])


def _expert(learned: Mapping[str, Run]) -> float:
    """The recording's mean return: of the first run that has one, for those on reward, too."""
    known = (yardstick_of(run, measure=False).expert for run in learned.values())
    return next((scores["return"] for scores in known if "return" in scores), float("nan"))


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, *rows]
    text = ["| " + " | ".join(cells) + " |" for cells in lines]
    return "\n".join([text[0], "|" + " --- |" * len(head), *text[1:]]) + "\n\n"
