"""What a user may do while a run goes on: look at every evaluation, and stop it.

class Print(depo.Callback):
    def on_evaluation(self, evaluation):
        print(evaluation.steps, evaluation.means["success"])

depo.train("depo", callbacks=[Print(), depo.StopAtScore("success", 0.95)])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from depo.core.errors import DepoError, unknown
from depo.core.metrics import find_metric, main_metric

if TYPE_CHECKING:
    from depo.runs.run import Run

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Evaluation:
    """The scores of all seeds after some steps."""

    run: Run
    steps: int
    """Environment steps so far, for each seed."""
    total: int
    """Environment steps of the whole run."""
    rows: tuple[Mapping[str, float], ...]
    """The new rows of metrics.csv, one for each seed."""

    @cached_property
    def means(self) -> dict[str, float]:
        """Every metric's mean over seeds."""
        return {
            name: sum(float(row[name]) for row in self.rows) / len(self.rows)
            for name in self.rows[0]
            if name not in ("seed", "env_steps")
        }


class Callback:
    """Called while a run goes on; each method does nothing until it is overridden."""

    def on_start(self, run: Run) -> None:
        """Before the first step, or before the first after the checkpoint a run is resumed from."""

    def on_evaluation(self, evaluation: Evaluation) -> str | None:
        """After every evaluation. A text, the reason, stops the run at the next checkpoint."""
        return None

    def on_end(self, run: Run) -> None:
        """However it ends: finished, stopped, or by an error."""


class Call(Callback):
    """Calls a function with every evaluation; a text that it returns stops the run."""

    def __init__(self, function: Callable[[Evaluation], str | None]):
        if not callable(function):
            raise DepoError(f"Call needs a function of an evaluation, not {function!r}")
        self._function = function

    def on_evaluation(self, evaluation: Evaluation) -> str | None:
        """What the function says."""
        return self._function(evaluation)


class StopAtScore(Callback):
    """Stops when a metric's mean over seeds reaches a value, from below or from above as the
    catalogue says is better; ``better`` where it says neither.

    >>> StopAtScore("success", 0.9)
    StopAtScore('success', 0.9)
    """

    def __init__(self, metric: str, value: float, *, better: Better | None = None):
        self.metric, self.value, self._sign = metric, value, _sign(metric, better)

    def __repr__(self) -> str:
        return f"StopAtScore({self.metric!r}, {self.value!r})"

    def on_evaluation(self, evaluation: Evaluation) -> str | None:
        """The reason, once the value is reached."""
        now = _mean(evaluation, self.metric)
        if self._sign * now >= self._sign * self.value:
            return f"{self.metric} reached {now:.4g} at {evaluation.steps:,} steps"
        return None


class StopWhenNothingImproves(Callback):
    """Stops when a metric's mean over seeds has had no new best for ``patience`` evaluations; the
    metric is the main score of the run if none is named. Learning rates do not know of it: they
    fall, if they do, as over all steps."""

    def __init__(self, metric: str = "", patience: int = 5, *, better: Better | None = None):
        if patience < 1:
            raise DepoError(f"patience {patience} is not positive: it counts evaluations")
        self.metric, self.patience, self._better = metric, patience, better
        if metric:
            _sign(metric, better)
        self._best, self._waited = -math.inf, 0

    def __repr__(self) -> str:
        return f"StopWhenNothingImproves({self.metric!r}, {self.patience!r})"

    def on_start(self, run: Run) -> None:
        """Begin anew, with what the run has reached before it was stopped, if it was."""
        self._best, self._waited = -math.inf, 0
        by_steps: dict[float, list[Mapping[str, float]]] = {}
        for row in run.metrics():
            by_steps.setdefault(row["env_steps"], []).append(row)
        for rows in by_steps.values():
            self._see(Evaluation(run, 0, 0, tuple(rows)))

    def on_evaluation(self, evaluation: Evaluation) -> str | None:
        """The reason, once patience is at its end."""
        name, sign = self._see(evaluation)
        if self._waited >= self.patience:
            best = sign * self._best
            return f"{name} is no better than {best:.4g} for {self._waited} evaluations"
        return None

    def _see(self, evaluation: Evaluation) -> tuple[str, float]:
        """The metric, and which way is up; counts the evaluation."""
        name = self.metric or _main(evaluation)
        sign = _sign(name, self._better)
        value = sign * _mean(evaluation, name)
        if value > self._best:
            self._best, self._waited = value, 0
        else:
            self._waited += 1
        return name, sign


class Callbacks(Callback):
    """Several, each called in turn; the first reason to stop counts."""

    def __init__(self, callbacks: Sequence[Callback]):
        self._callbacks = checked(callbacks)

    def on_start(self, run: Run) -> None:
        """Each."""
        for callback in self._callbacks:
            callback.on_start(run)

    def on_evaluation(self, evaluation: Evaluation) -> str | None:
        """Each; the first reason."""
        said = [callback.on_evaluation(evaluation) for callback in self._callbacks]
        for callback, reason in zip(self._callbacks, said, strict=True):
            if not isinstance(reason, str | None):
                raise DepoError(
                    f"{callback!r} returned {reason!r} from on_evaluation: a text, the reason, "
                    "stops the run; None goes on"
                )
        return next(filter(None, said), None)

    def on_end(self, run: Run) -> None:
        """Each."""
        for callback in self._callbacks:
            callback.on_end(run)


def checked(callbacks: Iterable[Callback]) -> tuple[Callback, ...]:
    """Callbacks, or a sentence on what is none."""
    if isinstance(callbacks, Callback) or not isinstance(callbacks, Iterable):
        raise DepoError(f"callbacks is {callbacks!r}: give a list of them")
    found = tuple(callbacks)
    for callback in found:
        if not isinstance(callback, Callback):
            raise DepoError(
                f"{callback!r} is no callback: derive from depo.Callback, or wrap a function "
                "in depo.Call"
            )
    return found


def _main(evaluation: Evaluation) -> str:
    """The main score of a run."""
    found = main_metric(evaluation.means)
    if found is None:
        raise DepoError(
            f"none of {', '.join(evaluation.means)} is a score to watch: name the metric that has "
            "to improve"
        )
    return found.name


def _mean(evaluation: Evaluation, metric: str) -> float:
    if metric not in evaluation.means:
        raise unknown("metric of this run", metric, evaluation.means)
    return evaluation.means[metric]


def _sign(metric: str, better: str | None) -> float:
    better = find_metric(metric).better if better is None else better
    if better == "neither":
        raise DepoError(f"{metric}: say which is better, better='higher' or better='lower'")
    if better not in ("higher", "lower"):
        raise unknown("direction", better, ("higher", "lower"))
    return 1.0 if better == "higher" else -1.0
