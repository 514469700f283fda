"""The metric catalogue: every number a run writes down, what it means and where it is shown.

Tables, axis labels, the progress line, checks for finite values and the choice of the best model
read it; so does the reference page. A method or an environment family from outside calls
:func:`register_metrics` beside its own code; a metric nobody registered is shown under its own
name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from depo.core.codec import check_fields
from depo.core.errors import DepoError

Better = Literal["higher", "lower", "neither"]
Place = Literal["progress line", "end-of-run table", "run figure", "experiments"]
"""Where a metric is shown; 'experiments' are their tables and results.csv."""
Group = Literal[
    "Row", "Success and return", "Occupancies", "Plans and skill", "Transfer", "Training", "Driving"
]

PROGRESS: Place = "progress line"
SUMMARY: Place = "end-of-run table"
FIGURE: Place = "run figure"
EXPERIMENTS: Place = "experiments"

TEST = "test_"
"""Before the name of a driving score: the same on test vehicles."""
OF_VARIANT = ("return", "success")
"""Scores that co-training also gives of every variant, as ``return_truck``."""


@dataclass(frozen=True)
class Metric:
    """One column of metrics.csv, or one entry of an evaluation."""

    name: str
    """As in metrics.csv, JSON and claims."""
    label: str
    """As tables and figures call it."""
    meaning: str
    """One sentence."""
    group: Group = "Training"
    """Its heading on the reference page."""
    unit: str = ""
    """Empty: a pure number or a share."""
    better: Better = "neither"
    shown: tuple[Place, ...] = ()
    absent: str = ""
    """When there is no such column; empty: every run has it, or every run of its group."""
    nan: str = ""
    """When it is NaN; empty: never, and a score that is not finite ends the run."""
    decimals: int = 3
    """Digits behind the point that mean something."""

    @property
    def title(self) -> str:
        """Label and unit, for an axis or a table.

        >>> find_metric("distance").title
        'distance (m)'
        """
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def text(self, value: float) -> str:
        """A value as people read it.

        >>> find_metric("success").text(0.98765), find_metric("return").text(3412.7)
        ('0.988', '3,413')
        """
        return number_text(value, self.decimals)

    def is_better(self, value: float, than: float) -> bool:
        """Whether a value beats another; where no direction is known, the higher one.

        >>> find_metric("reach_error").is_better(0.1, 0.2)
        True
        """
        return value < than if self.better == "lower" else value > than

    def on_test_vehicles(self) -> Metric:
        """The twin of a driving score."""
        return replace(
            self,
            name=f"{TEST}{self.name}",
            label=f"{self.label}, test vehicles",
            meaning=f"`{self.name}` on the test vehicles, which choose nothing.",
            group="Driving",
            shown=(EXPERIMENTS,),
            absent=_WITHOUT_PLANNER if self.name.startswith("velocity") else "",
        )


def number_text(value: float, decimals: int = 3) -> str:
    """A number with n digits behind the point, fewer where it is large, two in all where small.

    >>> [number_text(x) for x in (0.5, 77.415, 12345.6, 0.00123, 1e300, float("nan"))]
    ['0.500', '77.4', '12,346', '0.0012', '1e+300', '–']
    """
    if math.isnan(value):
        return "–"
    if abs(value) >= 1e12:
        return f"{value:.3g}"
    if decimals and value and abs(value) < 0.01:
        return f"{value:.2g}"
    most = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else decimals
    return f"{value:,.{min(most, decimals)}f}"


def find_metric(name: str) -> Metric:
    """The entry of a metric; a sensible one where nobody registered it.

    >>> find_metric("return_truck").label, find_metric("my_own_score").label
    ('return, truck', 'my own score')
    """
    if name in _REGISTERED:
        return _REGISTERED[name]
    for score in OF_VARIANT:
        if name.startswith(f"{score}_"):
            variant = name.removeprefix(f"{score}_")
            return replace(
                _REGISTERED[score],
                name=name,
                label=f"{_REGISTERED[score].label}, {variant}",
                meaning=f"`{score}` with the variant '{variant}' in co-training.",
                shown=(),
            )
    return Metric(name, name.replace("_", " "), "Not in the catalogue.")


def catalogue() -> Mapping[str, Metric]:
    """Every registered metric by name, in the order tables and results.csv have."""
    return MappingProxyType(_REGISTERED)


def register_metrics(*entries: Metric) -> None:
    """Add metrics; a name that means something else already is refused.

    >>> register_metrics(find_metric("success"))
    """
    for entry in entries:
        if not isinstance(entry, Metric):
            raise DepoError(f"{entry!r} is no Metric: give Metric(name, label, meaning, …)")
        check_fields(entry, f"metric '{entry.name}'")
        known = _REGISTERED.get(entry.name)
        if known is not None and known != entry:
            raise DepoError(
                f"metric '{entry.name}' is registered already ({known.meaning}): give yours "
                "another name"
            )
    _REGISTERED.update({entry.name: entry for entry in entries})


def shown_in(place: Place, among: Iterable[str]) -> list[Metric]:
    """The metrics of a row that a place shows, in the catalogue's order.

    >>> [m.name for m in shown_in("progress line", ["seed", "return", "success"])]
    ['success', 'return']
    """
    there = set(among)
    return [m for m in _REGISTERED.values() if place in m.shown and m.name in there]


def main_metric(row: Iterable[str]) -> Metric | None:
    """The score to watch in a row: the first that the progress line shows."""
    return next(iter(shown_in(PROGRESS, row)), None)


_WITHOUT_PLANNER = "the policy has no planner"
_OFF_GRID = "outside the grid world"
_NO_VECTORS = "on finite states, and in driving"
_NO_PLANS = f"{_NO_VECTORS}, or {_WITHOUT_PLANNER}"
_NO_DISCRIMINATOR = "the method has no discriminator"
_BEFORE_UPDATES = "before the first update"
_JS = "Jensen-Shannon divergence between the occupancies ρ(s,s') of policy and expert"

_ROW = (
    Metric("seed", "seed", "The seed of the row.", "Row"),
    Metric(
        "env_steps",
        "environment steps",
        "Environment steps taken, of all copies and variants together.",
        "Row",
        decimals=0,
    ),
    Metric("episodes", "episodes", "Episodes played by `depo evaluate`.", "Row", decimals=0),
    Metric(
        "planner_digest",
        "planner digest",
        "A fingerprint of the planner's weights, by `depo evaluate`; a text.",
        "Row",
        absent=_WITHOUT_PLANNER,
    ),
)

_EXACT = (
    Metric(
        "success",
        "success rate",
        "Grid world: probability of reaching the goal within the horizon, from every allowed "
        "start, actions sampled; driving: share of validation vehicles that arrive; "
        "elsewhere: share of episodes whose last step reports it (`is_success` or `success` in the "
        "information).",
        "Success and return",
        better="higher",
        shown=(PROGRESS, SUMMARY, FIGURE, EXPERIMENTS),
        absent="environments that report none, and recordings of traffic without validation "
        "vehicles",
    ),
    Metric(
        "success_greedy",
        "success rate, greedy",
        "Grid world: the same of the most likely plan and then the most likely action.",
        "Success and return",
        better="higher",
        shown=(SUMMARY, EXPERIMENTS),
        absent=_OFF_GRID,
    ),
    Metric(
        "divergence",
        "JS divergence from the expert",
        f"{_JS}, from the expert's starts, exact.",
        "Occupancies",
        unit="nats",
        better="lower",
        shown=(SUMMARY, EXPERIMENTS),
        absent=_OFF_GRID,
    ),
    Metric(
        "divergence_greedy",
        "JS divergence from the expert, greedy",
        "`divergence` of the greedy policy.",
        "Occupancies",
        unit="nats",
        better="lower",
        shown=(EXPERIMENTS,),
        absent=_OFF_GRID,
    ),
    Metric(
        "divergence_all_starts",
        "JS divergence from the expert, all starts",
        "`divergence` with the policy begun on every allowed start.",
        "Occupancies",
        unit="nats",
        better="lower",
        shown=(EXPERIMENTS,),
        absent=_OFF_GRID,
    ),
    Metric(
        "divergence_all_starts_floor",
        "least JS divergence possible, all starts",
        "A certified lower bound of `divergence_all_starts` over all policies.",
        "Occupancies",
        unit="nats",
        shown=(EXPERIMENTS,),
        absent=_OFF_GRID,
    ),
    *(
        Metric(
            f"{name}_{part}",
            f"{label}, {part} cells",
            f"Share of {part} cells {meaning}.",
            "Plans and skill",
            better="higher",
            shown=(SUMMARY, EXPERIMENTS)
            if f"{name}_{part}" == "legal_moving_undemonstrated"
            else (EXPERIMENTS,),
            absent=f"{_OFF_GRID}, or {_WITHOUT_PLANNER}, or no cell is {part}",
        )
        for name, label, meaning in (
            ("legal", "legal plans", "whose most likely plan some action reaches"),
            ("legal_moving", "legal moves", "whose most likely plan is legal and not to stay"),
        )
        for part in ("demonstrated", "undemonstrated")
    ),
)

_PLAYED = (
    Metric(
        "return",
        "return",
        "Mean return of the evaluation's episodes, policy deterministic; driving: the success "
        "rate of the vehicles that choose the model.",
        "Success and return",
        better="higher",
        shown=(PROGRESS, SUMMARY, FIGURE, EXPERIMENTS),
        absent="the grid world while training: it has `success`",
    ),
    Metric(
        "return_relative",
        "return relative to the expert",
        "Return on the scale of a random policy (0) to the expert (1).",
        "Success and return",
        better="higher",
        shown=(SUMMARY, EXPERIMENTS),
        absent=f"{_NO_VECTORS}, or the demonstrations' returns are unknown",
    ),
    Metric(
        "return_kept",
        "share of the planner's return kept",
        "Return divided by the one the planner had before the transfer.",
        "Transfer",
        better="higher",
        shown=(SUMMARY, EXPERIMENTS),
        absent="no planner's return before is known",
        nan="this planner's return before is unknown",
    ),
    Metric(
        "planner_unchanged",
        "planner unchanged",
        "1 where the planner is, bit for bit, the one the transfer began with, else 0.",
        "Transfer",
        shown=(EXPERIMENTS,),
    ),
    Metric(
        "return_worst_episode",
        "return of the worst episode",
        "The least return among the evaluation's episodes.",
        "Success and return",
        better="higher",
        shown=(EXPERIMENTS,),
        absent=_NO_VECTORS,
    ),
    Metric(
        "episode_length",
        "episode length",
        "Mean length of the evaluation's episodes.",
        "Success and return",
        unit="steps",
        shown=(EXPERIMENTS,),
        decimals=1,
        absent="the grid world while training, and driving",
    ),
    Metric(
        "plan_reached_evaluation",
        "plans reached",
        "Finite states: share of the evaluation's steps whose plan was the state reached.",
        "Plans and skill",
        better="higher",
        absent=f"the grid world while training, and on vector states, or {_WITHOUT_PLANNER}",
    ),
    Metric(
        "reach_error",
        "reach error",
        "Mean square of planned minus reached, per standardised feature.",
        "Plans and skill",
        unit="standardised",
        better="lower",
        shown=(SUMMARY, FIGURE, EXPERIMENTS),
        absent=_NO_PLANS,
    ),
    Metric(
        "reach_error_raw",
        "reach error, raw",
        "Mean square of planned minus reached, per feature in the environment's units.",
        "Plans and skill",
        unit="features' units²",
        better="lower",
        shown=(EXPERIMENTS,),
        absent=_NO_PLANS,
    ),
    Metric(
        "reach_error_relative",
        "reach error relative to no change",
        "`reach_error` divided by the error of planning to stand still.",
        "Plans and skill",
        better="lower",
        shown=(SUMMARY, EXPERIMENTS),
        absent=_NO_PLANS,
    ),
    Metric(
        "skill_error",
        "skill error",
        "Squared error of the skill's action, in [−1, 1] per number, on the evaluation's "
        "transitions.",
        "Plans and skill",
        unit="action²",
        better="lower",
        shown=(EXPERIMENTS,),
        absent=f"{_NO_VECTORS}, or the method has no skill",
    ),
    Metric(
        "planner_log_likelihood",
        "planner's log-likelihood",
        "Mean log density the planner gives to demonstrated transitions that were held out.",
        "Plans and skill",
        unit="nats",
        better="higher",
        shown=(EXPERIMENTS,),
        absent=f"{_NO_PLANS}, or no demonstration was held out",
        decimals=2,
    ),
)

_TRAINING = (
    Metric(
        "discriminator_accuracy",
        "discriminator's accuracy",
        "Share of transitions it tells apart; 0.5 means that agent and expert look alike.",
        shown=(EXPERIMENTS,),
        absent=_NO_DISCRIMINATOR,
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "discriminator_loss",
        "discriminator's loss",
        "Cross-entropy of the discriminator, without its gradient penalty.",
        unit="nats",
        absent=_NO_DISCRIMINATOR,
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "reward",
        "reward learned from",
        "Mean reward of the minibatches before its running mean is subtracted, by the "
        "discriminator or the environment.",
        absent="on finite states, and of methods that clone",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "mutual_information",
        "mutual information",
        "IDDM's lower bound of I(s; (a,s')) over the replay.",
        unit="nats",
        absent="only iddm has it",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "critic_loss",
        "critic's loss",
        "Mean squared error of the critics against their targets.",
        better="lower",
        absent="the method has no critic",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "value",
        "critic's value",
        "Mean Q of the minibatches.",
        absent="on finite states, or the method has no critic",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "policy_loss",
        "policy's loss",
        "Loss of the actor.",
        absent="planner and skill are trained apart",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "entropy",
        "policy's entropy",
        "Entropy of the actor, estimated from its samples.",
        unit="nats",
        absent="on finite states, and of other methods than soft actor-critics",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "temperature",
        "temperature",
        "Weight of the entropy in the soft actor-critic.",
        absent="on finite states, and of other methods than soft actor-critics",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "planner_loss",
        "planner's loss",
        "Weighted sum of all losses of the planner.",
        absent="the planner does not learn, or there is none",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "calibrated_loss",
        "calibrated loss",
        "CDePG's part of the planner's loss, before its weight.",
        absent="on finite states, and of methods without this part",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "supervised_loss",
        "supervised loss",
        "L_h, the supervised part of the planner's loss, before its weight.",
        absent="on finite states, and of methods without this part",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "plan_spread",
        "spread of plans",
        "Mean deviation of the planner's Gaussian, per standardised feature.",
        unit="standardised",
        absent="on finite states, or the planner does not learn",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "plan_reached",
        "plans reached while training",
        "Finite states: share of training steps whose plan was the state reached.",
        better="higher",
        absent="on vector states, or the policy has no planner",
    ),
    Metric(
        "skill_loss",
        "skill's loss",
        "Mean loss of the skill's updates.",
        better="lower",
        absent="on finite states, or the skill is refitted, a formula, or none",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "forward_loss",
        "forward model's loss",
        "Error of the forward model through which a transfer fits the skill by its effects, or "
        "through which `qss` values what its planner proposes.",
        unit="standardised",
        better="lower",
        absent="the skill is fitted to actions",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "cycle_error",
        "cycle error",
        "Mean square of the state proposed minus what inverse and forward model make of it.",
        unit="standardised",
        better="lower",
        absent="the method is not `qss` or `qss-gaifo`",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "recogniser_loss",
        "goal recogniser's loss",
        "Cross-entropy of telling states a step apart from others.",
        unit="nats",
        better="lower",
        absent="the method is not `gsp`",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "wasserstein_distance",
        "distance of visited states",
        "Wasserstein distance of the agent's states from the expert's, as the potential sees it.",
        unit="standardised",
        better="lower",
        absent="the method is not `sail`",
        nan=_BEFORE_UPDATES,
    ),
    Metric(
        "skill_fit_error",
        "refitted skill's held-out error",
        "Loss of the skill on held-out transitions after a refit.",
        better="lower",
        absent="the skill is not refitted at intervals",
        nan="there was no refit since the evaluation before",
    ),
    Metric(
        "skill_fit_passes",
        "passes of a refit",
        "Passes over the replay that a refit of the skill took.",
        absent="the skill is not refitted at intervals",
        nan="there was no refit since the evaluation before",
        decimals=1,
    ),
    Metric(
        "skill_validation_loss",
        "skill's held-out loss",
        "Finite states: cross-entropy of the skill on held-out transitions after its fit.",
        unit="nats",
        better="lower",
        absent="on vector states, or the method has no skill",
    ),
    Metric(
        "skill_rounds",
        "rounds of the skill's fit",
        "Finite states: rounds of updates until held-out transitions stopped improving.",
        absent="on vector states, or the method has no skill",
        decimals=1,
    ),
)

_DRIVING = (
    Metric(
        "collisions",
        "collision rate",
        "Share of drives that end in a collision.",
        "Driving",
        better="lower",
        shown=(EXPERIMENTS,),
    ),
    Metric(
        "off_road",
        "off-road rate",
        "Share of drives that end beside the road.",
        "Driving",
        better="lower",
        shown=(EXPERIMENTS,),
    ),
    Metric(
        "out_of_time",
        "out-of-time rate",
        "Share of drives that end when their time is over.",
        "Driving",
        better="lower",
        shown=(EXPERIMENTS,),
    ),
    Metric(
        "distance",
        "distance",
        "Mean way driven along the road.",
        "Driving",
        unit="m",
        better="higher",
        shown=(EXPERIMENTS,),
        decimals=1,
    ),
    Metric(
        "position_divergence",
        "KL of positions",
        "KL(agent‖recorded drivers) of the densities of positions on the road.",
        "Driving",
        unit="nats",
        better="lower",
        shown=(EXPERIMENTS,),
    ),
    Metric(
        "position_divergence_authors",
        "KL by the authors' formula",
        "What the authors' script computes; not a divergence, kept for comparison.",
        "Driving",
        better="lower",
        shown=(EXPERIMENTS,),
    ),
    Metric(
        "speed_distance",
        "W₁ of speeds",
        "Wasserstein distance between the speeds of agent and recorded drivers.",
        "Driving",
        unit="m/s",
        better="lower",
        shown=(EXPERIMENTS,),
    ),
    Metric(
        "gap_distance",
        "W₁ of gaps",
        "Wasserstein distance between the gaps to the vehicle ahead.",
        "Driving",
        unit="m",
        better="lower",
        shown=(EXPERIMENTS,),
        nan="on an empty road nobody is ahead",
    ),
    Metric(
        "velocity_reach_error",
        "velocity reach error",
        "Mean square of planned minus reached velocity.",
        "Driving",
        unit="(m/s)²",
        better="lower",
        shown=(EXPERIMENTS,),
        absent=_WITHOUT_PLANNER,
    ),
    Metric(
        "velocity_reach_error_relative",
        "velocity reach error relative to no change",
        "`velocity_reach_error` divided by the error of planning no change.",
        "Driving",
        better="lower",
        shown=(EXPERIMENTS,),
        absent=_WITHOUT_PLANNER,
    ),
)
DRIVING = tuple(entry.name for entry in _DRIVING)
"""Driving's scores beside success, each with a twin of test vehicles."""

_REGISTERED: dict[str, Metric] = {}
register_metrics(*_ROW, *_EXACT, *_PLAYED, *_TRAINING, *_DRIVING)
register_metrics(*(_REGISTERED[name].on_test_vehicles() for name in ("success", *DRIVING)))
