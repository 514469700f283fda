"""How data are gathered, kept and learned from, and how often a run is saved. No JAX here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from depo.methods.on_policy.settings import (
    batch_problems,
    epsilon_problems,
)
from depo.methods.settings_tree import Heading, Part, Rule, named

Termination = Literal["relative", "absorbing", "ignored", "zero"]


@dataclass(frozen=True)
class Collection(Part):
    """How data are gathered and kept."""

    heading: ClassVar[Heading] = "data"
    batch_steps: int = 250
    """Environment steps gathered between two bursts of updates, over all copies."""
    copies: int = 1
    """Copies of the environment stepped side by side."""
    replay: int = 200_000
    """The newest transitions that critic, policy and discriminator learn from."""
    termination: Termination = "absorbing"
    """An episode's end in training: 'relative' is worth ``end_cost`` deviations less than the mean
    value of a minibatch, and no more than beginning anew, or than the state in which it came (no
    bias for or against surviving); where recorded episodes end by themselves, what is usual and the
    log ratio of how often theirs and the agent's do, for ever; 'absorbing' goes on for ever with a
    poor reward (where a discriminator makes it), 'ignored' plays on to the time limit, 'zero' is
    worth nothing."""
    vary: str = ""
    """What is redrawn at every reset while learning, so that a planner bears other dynamics:
    gravity, mass, friction, damping (of a MuJoCo model), gain of the motors, delay, as in
    gravity=0.7:1.15,gain=0.8:1.2,delay=0:2; 'own': the environment's vary(generator); empty:
    nothing. Evaluation is in the environment as it is."""

    def problems(self) -> Iterator[str]:
        """Steps that copies can share, and enough of them; ranges that can be drawn from."""
        yield from batch_problems(self.batch_steps, self.copies)
        if self.vary:
            from depo.environments.variation import parse_variation

            parse_variation(self.vary)


@dataclass(frozen=True)
class Exploration(Part):
    """What the agent does beside its policy."""

    heading: ClassVar[Heading] = "exploration"
    random_steps: int = 5_000
    """Environment steps before the first update (they count)."""
    random_actions: bool = True
    """Whether those steps take uniformly random actions, or the untrained policy's."""
    quiet: float = 0.0
    """Share of bursts afterwards that are gathered without noise, by the policy's mean: data from
    where it really goes, which noise may never reach."""
    epsilon: float = 0.0
    """Share of uniformly random actions while gathering data afterwards."""
    epsilon_decay: float = 1.0
    """Factor on ε after every ``epsilon_every`` steps; 1: it stays."""
    epsilon_every: int = 10_000
    """Environment steps between two such factors."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("epsilon_decay", "epsilon_every"), lambda part, _: part.epsilon == 0, "epsilon is 0"),
        Rule(("epsilon_every",), lambda part, _: part.epsilon_decay == 1, "epsilon_decay is 1"),
    )

    def problems(self) -> Iterator[str]:
        """A share is a share."""
        yield from epsilon_problems(self.epsilon)
        if not 0 <= self.quiet <= 1:
            yield f"quiet {self.quiet} is a share of bursts, from 0 to 1"

    def epsilon_at(self, steps: int) -> float:
        """The share of uniformly random actions after n steps.

        >>> round(Exploration(epsilon=0.99, epsilon_decay=0.1).epsilon_at(25_000), 4)
        0.0099
        """
        return self.epsilon * self.epsilon_decay ** (steps // self.epsilon_every)


@dataclass(frozen=True)
class Learning(Part):
    """How much is learned from the data, and at what pace."""

    heading: ClassVar[Heading] = "how long"
    updates_per_step: float = 1.0
    """Gradient steps for each environment step."""
    minibatch: int = named(256, "minibatch", heading="data")
    """Transitions in one gradient step."""
    average: float = named(0.001, "average", heading="policy")
    """The policy that is evaluated and kept is a running average of the trained one, which it
    follows at this rate for each update; 0: it is the trained one itself."""
    anneal: float = 1.0
    """Learning rates fall linearly to this share of themselves at the run's end; 1: they stay."""
    anneal_after: float = 0.0
    """The share of the run that is over when they begin to fall."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("anneal_after",), lambda part, _: part.anneal == 1, "anneal is 1"),
    )


@dataclass(frozen=True)
class Saving(Part):
    """How often the run is looked at and saved."""

    heading: ClassVar[Heading] = "saving"
    evaluate_every: int = 20
    """Bursts between evaluations."""
    checkpoint_every: int = 4
    """Evaluations between checkpoints; environments are reset at each (exact resume)."""
