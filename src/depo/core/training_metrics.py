"""The catalogue's metrics of training: what a row is about, and what updates return."""

from __future__ import annotations

from depo.core.metric import EXPERIMENTS, Metric

_NO_DISCRIMINATOR = "the method has no discriminator"
_BEFORE_UPDATES = "before the first update"

ROW = (
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
        absent="the policy has no planner",
    ),
)
"""What a row is about."""

TRAINING = (
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
"""What updates and fits return."""
