"""The catalogue's scores: what an evaluation says of a policy."""

from __future__ import annotations

from dataclasses import replace

from depo.core.metric import EXPERIMENTS, FIGURE, PROGRESS, SUMMARY, Metric

TEST = "test_"
"""Before the name of a driving score: the same on test vehicles."""

_WITHOUT_PLANNER = "the policy has no planner"
_OFF_GRID = "outside the grid world"
_NO_VECTORS = "on finite states, and in driving"
_NO_PLANS = f"{_NO_VECTORS}, or {_WITHOUT_PLANNER}"
_JS = "Jensen-Shannon divergence between the occupancies ρ(s,s') of policy and expert"

EXACT = (
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
"""Of every policy, by exact occupancies where states are finite."""

PLAYED = (
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
"""By episodes that are played."""

DRIVING = (
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
"""Driving's scores beside success, each with a twin of test vehicles."""


def on_test_vehicles(score: Metric) -> Metric:
    """The twin of a driving score."""
    return replace(
        score,
        name=f"{TEST}{score.name}",
        label=f"{score.label}, test vehicles",
        meaning=f"`{score.name}` on the test vehicles, which choose nothing.",
        group="Driving",
        shown=(EXPERIMENTS,),
        absent=_WITHOUT_PLANNER if score.name.startswith("velocity") else "",
    )
