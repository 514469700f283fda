"""Claims: what an experiment must show, written down in claims.toml before it is run.

A measure is ``RUN/METRIC/STATISTIC``: the statistic over seeds of a metric's final value, or of
``steps_to_90``, the environment steps until success first reaches 0.9 (infinite if never; any
other share likewise). A claim compares a measure with a number or with another measure, to which
a factor may belong:

    measure = "transfer/steps_to_90/max"
    expected = "<= 1500"
    expected = "< 0.5 * depo/reach_error@10000/mean"      (its value at 10,000 steps)
    measure = "hopper-depo/return@from_40000/min"         (the worst from 40,000 steps on)
    expected = "< 0.5 * gaifo-k4/steps_to_90/median"
    measure = "depo-co/test_success@best_success/mean"    (where 'success' is best, seed by seed)
    measure = "oneshot-inverse/success@best_success_away_from_depo-normal/max"
                                                          (difference, seed by seed)

Who is said to have the smaller reach error must be a policy: with less than 80% of the expert's
return the claim does not hold, whatever the errors are. A planner of "no change" must not win.

``steps_to_90_of_LABEL`` are the environment steps to 90% of another run's final return: of its own
seed for a transfer, which has that seed's planner, of the mean over seeds for all others.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from depo.analysis.curves import curve
from depo.core.codec import decode
from depo.core.errors import DepoError, unknown
from depo.core.files import read_toml
from depo.core.metrics import Metric, catalogue, find_metric
from depo.evaluation.statistics import BOUNDS, STATISTICS, at_best, first_crossing, interval
from depo.experiments.derived import Together
from depo.runs.run import Run

CLAIMS = Path(__file__).parent / "claims.toml"
STEPS_TO = re.compile(r"steps_to_(\d+)(?:_of_(\S+))?")
AWAY = re.compile(r"(\S+)_away_from_(\S+)")
BEST = "best_"
"""After '@': where the metric named behind it is best, which is how a model is chosen."""
FROM = "from_"
"""After '@': at its worst from these steps on."""
COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
ABLE = 0.8
"""Share of the expert's return below which a reach error proves nothing."""
EXPECTED = re.compile(r"(>=|<=|>|<|=)\s*(?:([\d.e+-]+)\s*\*\s*)?(\S+)")


class TooShortError(DepoError):
    """A run ended before the steps that a claim is about."""


def verdict(experiment: str, runs: Mapping[str, Run], path: Path = CLAIMS) -> dict[str, Any]:
    """Every claim of an experiment with what was measured and whether it holds."""
    return {"claims": [judge(claim, runs) for claim in read_claims(experiment, path)]}


@dataclass(frozen=True)
class Claim:
    """An entry of claims.toml."""

    claim: str
    """What is claimed, for people."""
    measure: str
    expected: str


def read_claims(experiment: str, path: Path = CLAIMS) -> tuple[Claim, ...]:
    """The claims about an experiment; one that speaks of a metric nobody knows is refused."""
    claims = decode(dict[str, tuple[Claim, ...]], read_toml(path), str(path)).get(experiment, ())
    for claim in claims:
        for text in _measures(claim):
            for name in metrics_in(text.split("/")[1]):
                if name not in catalogue():
                    raise unknown(f"metric of the claim '{claim.claim}'", name, catalogue())
    return claims


def metrics_in(measured: str) -> tuple[str, ...]:
    """The metrics of the catalogue that a measure reads, the one it is about first.

    >>> metrics_in("test_success@best_success"), metrics_in("steps_to_90")
    (('test_success', 'success'), ('success',))
    """
    if away := AWAY.fullmatch(measured):
        return metrics_in(away[1])
    if aim := STEPS_TO.fullmatch(measured):
        return ("return" if aim[2] else "success",)
    name, _, at = measured.partition("@")
    return (name, at.removeprefix(BEST)) if at.startswith(BEST) else (name,)


def described(measured: str) -> Metric:
    """How tables call what a measure reads, and with which unit and digits.

    >>> described("steps_to_90").title, described("distance@best_success").title
    ('steps to 90% success', 'distance, at best success rate (m)')
    """
    if away := AWAY.fullmatch(measured):
        own = described(away[1])
        return replace(own, label=f"{own.label}, away from {away[2]}")
    if aim := STEPS_TO.fullmatch(measured):
        what = f"of the return of {aim[2]}" if aim[2] else "success"
        label = f"steps to {aim[1]}% {what}"
        return Metric(measured, label, "Environment steps.", better="lower", decimals=0)
    name, _, at = measured.partition("@")
    own = find_metric(name)
    if not at:
        return own
    if at.startswith(BEST):
        when = f"at best {find_metric(at.removeprefix(BEST)).label}"
    elif at.startswith(FROM):
        when = f"worst from {float(at.removeprefix(FROM)):,.0f} steps on"
    else:
        when = f"at {float(at):,.0f} steps"
    return replace(own, label=f"{own.label}, {when}")


def judge(claim: Claim, runs: Mapping[str, Run]) -> dict[str, Any]:
    """One entry of verdict.json; a claim about a run that was left out, or about steps that a
    run did not come to, is not judged."""
    if not {label for text in _measures(claim) for label in _labels(text)} <= set(runs):
        return _open(claim, "not run")
    try:
        return _judge(claim, runs)
    except TooShortError:
        return _open(claim, "run too short")


def _open(claim: Claim, why: str) -> dict[str, Any]:
    """The entry of a claim that is not judged."""
    return {
        "claim": claim.claim,
        "expected": f"{claim.measure} {claim.expected}",
        "measured": why,
        "interval": None,
        "holds": None,
    }


def _judge(claim: Claim, runs: Mapping[str, Run]) -> dict[str, Any]:
    values, statistic = measure(claim.measure, runs)
    measured = float(STATISTICS[statistic](values))
    match = EXPECTED.fullmatch(claim.expected)
    if not match or match[1] not in COMPARISONS:
        raise DepoError(f"claim '{claim.claim}' expects '{claim.expected}': not readable")
    factor = float(match[2]) if match[2] else 1.0
    expected = claim.expected
    if "/" in match[3]:
        other, other_statistic = measure(match[3], runs)
        bound = factor * float(STATISTICS[other_statistic](other))
        expected += f" (= {bound:.4g})" if np.isfinite(bound) else f" (= {json_number(bound)})"
    else:
        bound = factor * float(match[3])
    smaller = claim.measure if match[1].startswith("<") else match[3]
    able = _return_relative(smaller, runs)
    if able < ABLE:
        expected += f" (who wins must have {ABLE:.0%} of the expert's return, not {able:.0%})"
    # no bootstrap goes beyond what was seen, and a bound has no bounds
    extreme = statistic in ("min", "max", *BOUNDS)
    bounds = None if extreme else interval(values, statistic)
    return {
        "claim": claim.claim,
        "expected": f"{claim.measure} {expected}",
        "measured": json_number(measured),
        "interval": None if bounds is None else [json_number(x) for x in bounds],
        "holds": bool(
            np.isfinite(measured) and COMPARISONS[match[1]](measured, bound) and able >= ABLE
        ),
    }


def _return_relative(measure: str, runs: Mapping[str, Run]) -> float:
    """What a claim of a small reach error must be able to do; 1 for other claims, or not known."""
    label, _, metric = measure.partition("/")
    if (
        not metric.startswith("reach_error")
        or "return_relative" not in runs[label].final_scores()[0]
    ):
        return 1.0
    return float(np.mean(final_values(runs[label], "return_relative")))


def _measures(claim: Claim) -> list[str]:
    """The measures a claim speaks of."""
    words = claim.expected.split()
    return [claim.measure, *(word for word in words if "/" in word)]


def _labels(measure: str) -> list[str]:
    """The runs a measure is about."""
    label, metric, _ = measure.split("/")
    other = STEPS_TO.fullmatch(metric) or AWAY.fullmatch(metric)
    return [label, other[2]] if other and other[2] else [label]


def measure(text: str, runs: Mapping[str, Run]) -> tuple[np.ndarray, str]:
    """The values over seeds a measure names, and its statistic."""
    label, metric, statistic = text.split("/")
    if label not in runs:
        raise unknown("run", label, runs)
    if statistic not in STATISTICS:
        raise unknown("statistic", statistic, STATISTICS)
    return final_values(runs[label], metric, runs), statistic


def final_values(run: Run, metric: str, runs: Mapping[str, Run] | None = None) -> np.ndarray:
    """A metric at the last evaluation (or steps to 90% success), one value for each seed.

    ``METRIC@STEPS`` is its value at the first evaluation at STEPS or later, ``METRIC@from_STEPS``
    the worst of these, ``METRIC@best_OTHER`` where another metric is best.
    """
    if away := AWAY.fullmatch(metric):
        own, other = (final_values(each, away[1]) for each in (run, (runs or {})[away[2]]))
        return np.abs(own - other[: len(own)])
    name, _, at = metric.partition("@")
    if at.startswith(BEST):
        return chosen_values(run, name, at.removeprefix(BEST))
    if at:
        steps, values = curve(run, name)
        first = float(at.removeprefix(FROM))
        late = values[steps >= first]
        if not len(late):
            raise TooShortError(f"{run.path.name} has no evaluation from {first:,.0f} steps on")
        if not at.startswith(FROM):
            return late[0]
        lower = find_metric(name).better == "lower"
        return late.max(axis=0) if lower else late.min(axis=0)
    if aim := STEPS_TO.fullmatch(metric):
        share = int(aim[1]) / 100
        if aim[2]:
            return steps_to_share(run, share, (runs or {})[aim[2]])
        steps, success = curve(run, "success")
        return np.array([first_crossing(steps, column, share) for column in success.T])
    final = run.final_scores()
    if not final or metric not in final[0]:
        raise unknown(f"metric of {run.path.name}", metric, final[0] if final else [])
    return np.array([row[metric] for row in final])


def chosen_values(run: Run, metric: str, by: str) -> np.ndarray:
    """A metric at the evaluation where each seed is best by another one; the first of equals. The
    last evaluation where nothing was there to choose by.

    Of runs read together every part is a model of its own, and chosen on its own.
    """
    if isinstance(run, Together):
        return np.mean([chosen_values(part, metric, by) for part in run.parts.values()], axis=0)
    if not run.metrics() or by not in run.metrics()[0]:
        return final_values(run, metric)
    criterion = curve(run, by)[1]
    lower = find_metric(by).better == "lower"
    return at_best(curve(run, metric)[1], -criterion if lower else criterion)


def steps_to_share(run: Run, share: float, other: Run) -> np.ndarray:
    """Environment steps of every seed until the return is that share of another run's final one."""
    before = {int(row["seed"]): row["return"] for row in other.final_scores()}
    steps, returns = curve(run, "return")
    mean = float(np.mean(list(before.values())))
    own = before if run.job.spec.takes_planner else {}
    return np.array(
        [
            first_crossing(steps, column, share * own.get(seed, mean))
            for seed, column in zip(sorted(run.job.seeds), returns.T, strict=True)
        ]
    )


def json_number(x: float) -> float | str:
    """JSON has no infinity: 'never'; nor NaN: 'nan'."""
    return "never" if np.isinf(x) else "nan" if np.isnan(x) else float(f"{x:.6g}")
