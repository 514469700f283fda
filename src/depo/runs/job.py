"""What a run is asked to do: method, environment, demonstrations, steps, seeds. Plain JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

from depo.environments.driving.settings import ID as DRIVING_ID
from depo.environments.dynamics import parse_dynamics
from depo.environments.gridworld import ID as GRID_ID
from depo.environments.gridworld import GridWorldSettings
from depo.errors import DepoError, check_fields, unknown
from depo.models.skill_source import is_formula
from depo.settings import (
    OFF_POLICY,
    ON_POLICY,
    SETTINGS_OF,
    SHARED,
    TRANSFER,
    Learner,
    MethodSettings,
)
from depo.settings.off_policy import (
    BCO,
    SAC,
    DePORL,
    OffPolicySettings,
    PlannerSettings,
    SkillTransfer,
)
from depo.settings.on_policy import DePO

MAX_STEPS: dict[Learner, int] = {"on-policy": 2**23, "off-policy": 2**30}
"""On-policy runs keep all transitions in memory."""
MAX_SEEDS = 1_000
SCHEDULES = ("round-robin", "joint")
ENVIRONMENT_ID = re.compile(r"-v\d+$")
"""How the names of environments end, and those of vehicles and dynamics do not."""
YOUNGER = {"epsilon_decay": 1.0, "epsilon_every": 10_000}
"""Settings that only transfers had at first, by their defaults: runs from before are the same."""
AS_IS = "as-is"
"""The type that is the environment itself, beside others under changed dynamics."""


@dataclass(frozen=True)
class EnvironmentSettings:
    """A grid world, or any Gymnasium id with the arguments of its constructor.

    ``dynamics`` change what its actions do, as ``mixed,gravity=0.8``.
    """

    id: str = GRID_ID
    world: GridWorldSettings | None = field(default_factory=GridWorldSettings)
    arguments: tuple[tuple[str, Any], ...] = ()
    dynamics: str = ""

    def __post_init__(self) -> None:
        changes = parse_dynamics(self.dynamics)
        if changes and self.world is not None:
            raise DepoError(
                f"dynamics '{self.dynamics}' change vector actions: the grid world takes --k"
            )
        if changes and self.id == DRIVING_ID:
            raise DepoError(
                f"dynamics '{self.dynamics}' change bare actions: driving takes another vehicle, "
                "as --env-args vehicle=inverse"
            )
        object.__setattr__(self, "dynamics", ",".join(map(str, changes)))

    def of_type(self, name: str) -> EnvironmentSettings:
        """A kind of this environment: k of the grid world, a vehicle, dynamics ('as-is'), or
        another environment that shares its states, by its id."""
        if self.world is not None:
            if not name.isdecimal():
                raise DepoError(f"type '{name}' is no k of the grid world: types look like 1,2,4")
            return replace(self, world=replace(self.world, k=int(name)))
        if self.id == DRIVING_ID:
            arguments = dict(self.arguments) | {"vehicle": name}
            return replace(self, arguments=tuple(arguments.items()))
        if ENVIRONMENT_ID.search(name):
            return replace(self, id=name, arguments=self.arguments if name == self.id else ())
        own = "" if name == AS_IS else name
        return replace(self, dynamics=",".join(filter(None, [self.dynamics, own])))

    @property
    def label(self) -> str:
        """A short name for tables and folders."""
        if self.world is None:
            name = self.id.rpartition(":")[2].rpartition("/")[2].lower()
            return "-".join([name, *map(str, parse_dynamics(self.dynamics))])
        s = self.world
        walls = "-walls" if s.walls else ""
        detour = "-detour" if s.via else ""
        return f"gridworld-{s.size}x{s.size}{walls}{detour}-k{s.k}"


@dataclass(frozen=True)
class Job:
    """Everything that determines a run's numbers."""

    method: str = "depo"
    learner: Learner = ON_POLICY
    settings: MethodSettings = field(default_factory=DePO)
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
    types: tuple[str, ...] = ()
    """Co-training: the kinds of the environment that share a planner; empty: it is as it is."""
    schedule: str = "round-robin"
    """Co-training: types take turns, or the planner follows the sum of their losses ('joint')."""

    def __post_init__(self) -> None:
        if self.method not in SETTINGS_OF[self.learner]:
            raise unknown("method", self.method, SETTINGS_OF[self.learner])
        s = self.settings
        check_fields(s, self.method)
        for setting in dataclasses.fields(s):
            _check_number(setting.name, getattr(s, setting.name))
        most = MAX_STEPS[self.learner]
        if is_formula(self.skill) and self.learner == ON_POLICY:
            raise DepoError(
                f"the skill '{self.skill}' is a formula, the scores on finite states need "
                "probabilities: use it from Python with AnalyticSkill and DecoupledPolicy"
            )
        needs_none = self.method == TRANSFER and self.learner == OFF_POLICY and bool(self.skill)
        least = 0 if needs_none else 1
        if not least <= self.steps <= most:
            zero = " (0: a transfer on vectors with --skill)" if self.steps == 0 else ""
            raise DepoError(f"steps {self.steps} is not between {least} and {most:,}{zero}")
        learns_skill = self.method == TRANSFER or self.learner == ON_POLICY
        if self.steps and is_formula(self.skill) and learns_skill:
            raise DepoError(
                f"the skill '{self.skill}' is a formula and learns nothing: "
                f"'depo transfer PLANNER --skill {self.skill} --steps 0' uses it"
            )
        if self.schedule not in SCHEDULES:
            raise unknown("schedule", self.schedule, SCHEDULES)
        if self.schedule == "joint" and self.method == "depo-supervised":
            raise DepoError(
                "schedule 'joint' adds up the losses of kinds, depo-supervised has the same one "
                "with all of them: leave --schedule out"
            )
        if self.types and self.method not in SHARED:
            raise unknown("method with a planner to share", self.method, SHARED)
        if len(set(self.types)) != len(self.types) or len(self.types) == 1:
            raise DepoError(
                f"types {', '.join(self.types)}: co-training needs at least two, all different"
            )
        if len(self.seeds) > MAX_SEEDS:
            raise DepoError(f"{len(self.seeds)} seeds are more than the {MAX_SEEDS} of one run")
        distinct = len(set(self.seeds)) == len(self.seeds)
        if not self.seeds or not distinct or min(self.seeds) < 0 or max(self.seeds) >= 2**31:
            raise DepoError(
                f"seeds {list(self.seeds)} must be different numbers, none negative, below 2³¹"
            )
        if s.batch_steps < 5:
            raise DepoError(f"batch_steps {s.batch_steps} is below 5: the skill holds out a fifth")
        if s.batch_steps % s.copies:
            raise DepoError(
                f"batch_steps {s.batch_steps} is not a multiple of copies {s.copies}: change either"
            )
        if s.evaluate_every < 1 or s.checkpoint_every < 1:
            raise DepoError("evaluate_every and checkpoint_every must be at least 1")
        if self.blocks * self.steps_per_block > most:
            raise DepoError(
                f"an evaluation comes every {self.steps_per_block:,} steps (batch_steps × "
                f"evaluate_every), more than the {most:,} of a run: lower either"
            )
        if not 0.0 <= s.gamma < 1.0:
            raise DepoError(f"gamma {s.gamma} is not in [0, 1)")
        if isinstance(s, PlannerSettings) and s.log_std_ceiling < -s.log_std_floor:
            raise DepoError(
                f"a planner's log deviation cannot be above {-s.log_std_floor} (log_std_floor) and "
                f"below {s.log_std_ceiling} (log_std_ceiling): nothing lies between"
            )
        if isinstance(s, SkillTransfer) and s.skill_fit == "effects":
            for name, other in (("skill_modes", 1), ("skill_schedule", "every-update")):
                if getattr(s, name) != other:
                    raise DepoError(
                        f"skill_fit 'effects' goes with {name} {other}, not {getattr(s, name)}: "
                        "change it, or pass --skill-fit actions"
                    )
        free = s.unfreeze_after if isinstance(s, SkillTransfer) else None
        if free is not None and self.steps <= free:
            raise DepoError(
                f"{self.steps:,} steps end before the planner is set free at {free:,}: "
                "raise --steps or lower --unfreeze-after"
            )
        if isinstance(s, OffPolicySettings):
            each = self.steps // max(1, len(self.types))
            if 0 < each < s.random_steps:
                raise DepoError(
                    f"{each:,} steps end before the {s.random_steps:,} random ones that come "
                    "before learning: raise --steps or lower --random-steps"
                )
        if isinstance(s, BCO) and s.clone_samples and s.skill_schedule == "refit":
            raise DepoError(
                "clone_samples needs a skill that learns its noise, which refits do not teach: "
                "leave out one of --clone-samples and --skill-schedule refit"
            )
        if isinstance(s, SAC | DePORL) and s.termination == "absorbing":
            raise DepoError(
                f"termination 'absorbing' is made of a discriminator's reward, {self.method} has "
                "none: zero or ignored"
            )
        if not 0.0 <= s.epsilon <= 1.0:
            raise DepoError(f"epsilon {s.epsilon} is not in [0, 1]")

    @property
    def first_environment(self) -> EnvironmentSettings:
        """The environment; of co-trained types the first, whose policy is shown."""
        return self.environment.of_type(self.types[0]) if self.types else self.environment

    @property
    def blocks(self) -> int:
        """Evaluations in the run; the last reaches ``steps`` or just above."""
        return -(-self.steps // self.steps_per_block)

    @property
    def steps_per_block(self) -> int:
        """Environment steps, for each seed, between two evaluations; of all types together."""
        return self.settings.evaluate_every * self.settings.batch_steps * max(1, len(self.types))

    def to_json(self) -> dict[str, Any]:
        """Plain data; unchanged dynamics, that nobody trains along, and settings younger than the
        first runs at their defaults go without saying."""
        data = json.loads(json.dumps(dataclasses.asdict(self)))
        if self.method != TRANSFER:
            for name, default in YOUNGER.items():
                if data["settings"].get(name) == default:
                    del data["settings"][name]
        if not self.environment.dynamics:
            del data["environment"]["dynamics"]
        if not self.types:
            del data["types"], data["schedule"]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Job:
        """The job that :meth:`to_json` described.

        >>> Job.from_json(Job().to_json()) == Job()
        True
        """
        try:
            environment = dict(data["environment"])
            world = environment["world"]
            if world is not None:
                environment["world"] = GridWorldSettings(**_tuples(world))
            environment["arguments"] = tuple((n, v) for n, v in environment["arguments"])
            kind = SETTINGS_OF[data["learner"]][data["method"]]
            return cls(
                **{
                    **_tuples(data),
                    "settings": kind(**data["settings"]),
                    "environment": EnvironmentSettings(**environment),
                }
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DepoError(f"these settings are not of a depo run: {error!r}") from None


def first_seeds(first: int, count: int) -> tuple[int, ...]:
    """So many seeds from the first one on.

    >>> first_seeds(3, 2)
    (3, 4)
    """
    if not 1 <= count <= MAX_SEEDS:
        raise DepoError(f"seeds {count}: it is how many seeds to run, from 1 to {MAX_SEEDS}")
    return tuple(range(first, first + count))


_SIGNED = ("log_std_ceiling",)
"""Settings that may be negative."""


def _check_number(name: str, value: Any) -> None:
    """Whole-number settings count something; the others are rates, weights and shares."""
    if isinstance(value, bool | str):
        return
    if isinstance(value, int) and value < 1:
        raise DepoError(f"{name} {value} is not positive")
    if isinstance(value, float) and not math.isfinite(value):
        raise DepoError(f"{name} {value} is not a finite number")
    if isinstance(value, float) and value < 0 and name not in _SIGNED:
        raise DepoError(f"{name} {value} is not a finite number of at least 0")


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in data.items()}
