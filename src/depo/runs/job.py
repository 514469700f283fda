"""What a run is asked to do: method, environment, demonstrations, steps, seeds. Plain JSON."""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass, field
from typing import Any

from depo.core.annotations import annotations_of
from depo.core.codec import decode_each, encode, said_of
from depo.core.errors import DepoError, unknown
from depo.environments.family import EnvironmentSettings, family_of
from depo.methods.off_policy.settings import is_fine_tuned
from depo.methods.registry import (
    OFF_POLICY,
    ON_POLICY,
    Implementation,
    LearnerName,
    MethodSpec,
    check_shares_planner,
    find_method,
    methods,
)
from depo.methods.settings_tree import Facts, MethodSettings, flat_values, settings_from
from depo.methods.transfer import keeps_trunk
from depo.models.skill_source import is_formula, wanted_formula

MAX_STEPS: dict[LearnerName, int] = {"on-policy": 2**23, "off-policy": 2**30}
"""On-policy runs keep all transitions in memory."""
MAX_SEEDS = 1_000
SCHEDULES = ("round-robin", "joint")
OPTIONAL = ("variants", "schedule", "reward_from")
"""What goes without saying where nobody trains along, and where no reward is given."""
IN_MEMORY = "in memory"
"""Demonstrations that were given as an object; the run's folder has a copy."""


@dataclass(frozen=True)
class Job:
    """Everything that determines a run's numbers."""

    method: str = "depo"
    learner: LearnerName = ON_POLICY
    settings: MethodSettings = field(
        default_factory=lambda: find_method("depo").implementation(ON_POLICY).settings()
    )
    environment: EnvironmentSettings = field(default_factory=EnvironmentSettings)
    steps: int = 12_800
    seeds: tuple[int, ...] = (0,)
    preset: str = "fast"
    demos: str = ""
    """A file or a shipped name; empty: the default of the environment."""
    skill: str = ""
    """A skill folder to begin with instead of a fresh skill; in a transfer of no steps also a
    formula, ``module:function``."""
    planner: str = ""
    """Transfer only: a planner folder, or a run whose seeds' planners are used."""
    reward_from: str = ""
    """airl-transfer only: a reward folder, or a run whose seeds' rewards are used."""
    variants: tuple[str, ...] = ()
    """Co-training: the variants of the environment that share a planner; empty: it is as it is."""
    schedule: str = "round-robin"
    """Co-training: variants take turns, or the planner follows the sum of losses ('joint')."""

    def __post_init__(self) -> None:
        self._check_settings()
        self._check_skill()
        self._check_reward()
        self._check_steps()
        self._check_variants()
        self._check_seeds()

    @property
    def spec(self) -> MethodSpec:
        """The method itself."""
        return find_method(self.method)

    @property
    def implementation(self) -> Implementation:
        """The method for this job's learner."""
        return self.spec.implementation(self.learner)

    @property
    def wants(self) -> tuple[str, ...]:
        """What a stranger's job may not have without the user's leave: modules it would import."""
        return tuple(dict.fromkeys([*wanted_formula(self.skill), *self.environment_wants]))

    @property
    def environment_wants(self) -> tuple[str, ...]:
        """The same, of its environment and variants alone."""
        named = list(family_of(self.environment).wants(self.environment))
        for name in self.variants:
            with contextlib.suppress(DepoError):  # no variant: it is refused where it is used
                variant = self.environment.variant(name)
                named += family_of(variant).wants(variant)
        return tuple(named)

    @property
    def facts(self) -> Facts:
        """What, beside the settings, decides whether a setting matters."""
        return Facts(
            formula=self.skill if is_formula(self.skill) else "",
            steps=self.steps,
            is_exact=family_of(self.environment).needs_demonstrations,
            has_demonstrations=bool(self.demos) or self.needs_demonstrations,
        )

    @property
    def needs_demonstrations(self) -> bool:
        """Whether nothing can be learned, or scored, without demonstrations."""
        scored_against = family_of(self.environment).needs_demonstrations
        return self.spec.needs_demonstrations or scored_against or is_fine_tuned(self.settings)

    def _check_settings(self) -> None:
        own = self.implementation.settings
        if type(self.settings) is not own:
            raise DepoError(
                f"the settings are a {type(self.settings).__name__}, {self.method} with the "
                f"{self.learner} learner takes a {own.__name__}"
            )

    def _check_skill(self) -> None:
        if self.skill and keeps_trunk(self.settings):
            raise DepoError("skill_start has no effect here: the skill that is given is kept whole")
        if not is_formula(self.skill):
            return
        if self.learner == ON_POLICY:
            raise DepoError(
                f"the skill '{self.skill}' is a formula, the scores on finite states need "
                "probabilities: use it from Python with AnalyticSkill and DecoupledPolicy"
            )
        if self.steps and self.spec.takes_planner:
            raise DepoError(
                f"the skill '{self.skill}' is a formula and learns nothing: "
                f"'depo transfer PLANNER --skill {self.skill} --steps 0' uses it"
            )

    def _check_reward(self) -> None:
        if self.reward_from and not self.spec.takes_reward:
            takers = ", ".join(name for name, spec in methods().items() if spec.takes_reward)
            raise DepoError(
                f"reward_from has no effect here: {self.method} takes no reward, {takers} does"
            )

    def _needed_for_no_step(self) -> str:
        """What would let this job be one of no steps."""
        if not self.spec.takes_planner:
            return f": without a step {self.method} learns nothing"
        if self.learner == ON_POLICY:
            return ": a skill on finite states is always learned"
        return (
            ": without a step the skill has to be known, give --skill FOLDER (of another run, "
            "RUN/skill/seed-0) or --skill module:function"
        )

    def _check_steps(self) -> None:
        most = MAX_STEPS[self.learner]
        is_known = self.spec.takes_planner and self.learner == OFF_POLICY and bool(self.skill)
        least = 0 if is_known else 1
        if not least <= self.steps <= most:
            zero = "" if self.steps else self._needed_for_no_step()
            raise DepoError(f"steps {self.steps} is not between {least} and {most:,}{zero}")
        if self.total_steps > most or self.steps_per_block > most:
            raise DepoError(
                f"an evaluation comes every {self.steps_per_block:,} steps (batch_steps × "
                f"evaluate_every), more than the {most:,} of a run: lower either"
            )
        if is_fine_tuned(self.settings):
            free = self.settings.fine_tuning.unfreeze_after
            if self.steps <= free:
                raise DepoError(
                    f"{self.steps:,} steps end before the planner is set free at {free:,}: "
                    "raise --steps or lower --unfreeze-after"
                )
        if self.learner == OFF_POLICY:
            each = self.steps // max(1, len(self.variants))
            random_steps = self.settings.exploration.random_steps
            if 0 < each < random_steps:
                raise DepoError(
                    f"{each:,} steps end before the {random_steps:,} random ones that come "
                    "before learning: raise --steps or lower --random-steps"
                )

    def _check_variants(self) -> None:
        if self.schedule not in SCHEDULES:
            raise unknown("schedule", self.schedule, SCHEDULES)
        if self.variants:
            check_shares_planner(self.method)
        if self.schedule == "joint" and self.variants and not self.spec.adds_losses:
            raise DepoError(
                f"schedule 'joint' adds up the losses of variants, {self.method} has the same one "
                "with all of them: leave --schedule out"
            )
        if len(set(self.variants)) != len(self.variants) or len(self.variants) == 1:
            raise DepoError(
                f"variants {', '.join(self.variants)}: co-training needs at least two that differ"
            )

    def _check_seeds(self) -> None:
        if len(self.seeds) > MAX_SEEDS:
            raise DepoError(f"{len(self.seeds)} seeds are more than the {MAX_SEEDS} of one run")
        distinct = len(set(self.seeds)) == len(self.seeds)
        if not self.seeds or not distinct or min(self.seeds) < 0 or max(self.seeds) >= 2**31:
            raise DepoError(
                f"seeds {list(self.seeds)} must be different numbers, none negative, below 2³¹"
            )

    @property
    def first_environment(self) -> EnvironmentSettings:
        """The environment; of co-trained variants the first, whose policy is shown."""
        return self.environment.variant(self.variants[0]) if self.variants else self.environment

    @property
    def blocks(self) -> int:
        """Evaluations in the run; the last comes when all steps are taken."""
        return -(-self.steps // self.steps_per_block)

    @property
    def total_steps(self) -> int:
        """Environment steps for each seed: ``steps``, or the next number that can be taken."""
        return -(-self.steps // self._indivisible) * self._indivisible

    def steps_at(self, block: int) -> int:
        """Environment steps at the end of a block; the last one may be shorter."""
        return min(block * self.steps_per_block, self.total_steps)

    @property
    def _indivisible(self) -> int:
        """Steps that come together: of all copies and variants, on finite states (whose batches
        are compiled into the learner) those between two evaluations."""
        if self.learner == ON_POLICY:
            return self.steps_per_block
        return self.settings.collection.copies * max(1, len(self.variants))

    @property
    def rounding(self) -> str:
        """Why the run takes other steps than were asked for, in a sentence; empty: it does not.

        >>> Job(steps=6_000).rounding
        '6,000 steps become 6,016: batches are of 128 steps (--batch-steps × --evaluate-every)'
        """
        if self.total_steps == self.steps:
            return ""
        each = self._indivisible
        together = f"all copies and variants take a step together, {each} in all"
        if self.learner == ON_POLICY:
            together = f"batches are of {each:,} steps (--batch-steps × --evaluate-every)"
        return f"{self.steps:,} steps become {self.total_steps:,}: {together}"

    @property
    def steps_per_block(self) -> int:
        """Environment steps, for each seed, between two evaluations; of all variants together."""
        s = self.settings
        return s.saving.evaluate_every * s.collection.batch_steps * max(1, len(self.variants))

    def to_json(self) -> dict[str, Any]:
        """Plain data; unchanged dynamics, and that nobody trains along, go without saying."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        parts = {
            "settings": flat_values(self.settings),
            "environment": self.environment.to_json(),
        }
        data = encode(plain | parts)
        if not self.variants:
            del data["variants"], data["schedule"]
        if not self.reward_from:
            del data["reward_from"]
        return data

    @classmethod
    def from_json(cls, data: object, where: str = "job") -> Job:
        """The job that :meth:`to_json` described.

        >>> Job.from_json(Job().to_json()) == Job()
        True
        """
        plain = {"settings": dict[str, Any], "environment": dict[str, Any]}
        required = [f.name for f in dataclasses.fields(cls) if f.name not in OPTIONAL]
        stored = decode_each({**annotations_of(cls), **plain}, data, where, required=required)
        environment = EnvironmentSettings.from_json(stored["environment"], f"{where}: environment")
        with said_of(where):
            kind = find_method(stored["method"]).implementation(stored["learner"]).settings
            settings = settings_from(kind, stored["settings"])
            return cls(**stored | {"settings": settings, "environment": environment})


def first_seeds(first: int, count: int) -> tuple[int, ...]:
    """n seeds from the first one on.

    >>> first_seeds(3, 2)
    (3, 4)
    """
    if not 1 <= count <= MAX_SEEDS:
        raise DepoError(f"seeds {count}: it is how many seeds to run, from 1 to {MAX_SEEDS}")
    return tuple(range(first, first + count))
