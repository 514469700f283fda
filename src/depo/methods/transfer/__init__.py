"""Transfer: a planner that is given, under other actions or dynamics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from depo.methods.depo import AUTHORS, TASKS, OffPolicyDePO
from depo.methods.off_policy import presets as off_presets
from depo.methods.off_policy import settings as off
from depo.methods.on_policy import presets as on_presets
from depo.methods.on_policy import settings as on
from depo.methods.registry import (
    OFF_POLICY,
    ON_POLICY,
    TRANSFER,
    Implementation,
    MethodSpec,
    deferred,
)
from depo.methods.settings_tree import (
    Facts,
    Heading,
    MethodSettings,
    Part,
    Rule,
    every_name,
    named,
)

SkillStart = Literal["fresh", "trunk"]


@dataclass(frozen=True)
class NewSkill(Part):
    """What the new skill begins with."""

    heading: ClassVar[Heading] = "skill"
    start: SkillStart = named("fresh", "skill_start")
    """Nothing, or the 'trunk' of the skill beside the planner: all of its layers but the last, for
    what happened between two states is read alike whatever the actions are."""


@dataclass(frozen=True)
class OnPolicyTransfer(MethodSettings):
    """A frozen planner in a new action space or dynamics: only the skill is learned."""

    collection: on.Collection = on.Collection()
    exploration: on.Exploration = on.Exploration()
    learning: on.Learning = on.Learning()
    saving: on.Saving = on.Saving()
    skill: on.Skill = on.Skill()
    new_skill: NewSkill = NewSkill()
    rules: ClassVar[tuple[Rule, ...]] = (on.UNDISCOUNTED,)


@dataclass(frozen=True)
class FineTuning(Part):
    """The planner follows DePO's updates after a while; critics and discriminator learn from the
    beginning."""

    heading: ClassVar[Heading] = "planner"
    unfreeze_after: int
    """Environment steps after which the planner is fine-tuned by DePO's updates (needs
    demonstrations); critics and discriminator learn from the beginning. None: never."""
    planner_rate: float = 3e-4
    """Adam's learning rate for the planner."""
    networks: off.Networks = off.Networks()
    decoupled_gradient: off.DecoupledGradient = off.DecoupledGradient()
    calibration: off.Calibration = off.Calibration()
    supervision: off.Supervision = off.Supervision()
    critic: off.Critic = off.Critic()
    demo_transitions: off.DemoTransitions = off.DemoTransitions()
    discriminator: off.Discriminator = off.Discriminator()


_OWN = "the planner that is given brings its own"


def _takes_no_step(_: Any, facts: Facts) -> bool:
    return facts.steps == 0


@dataclass(frozen=True)
class OffPolicyTransfer(MethodSettings):
    """A frozen planner under other actions or dynamics: only the skill is learned, unless
    ``unfreeze_after`` is given.

    The planner keeps its own features, coordinates and the bounds of its deviation.
    """

    collection: off.Collection = off.Collection()
    exploration: off.Exploration = off.Exploration()
    noise: off.SkillNoise = off.SkillNoise()
    extremes: float = named(0.0, "extremes", heading="exploration")
    """Share of the numbers in random actions that are at a bound, −1 or 1, instead of uniform."""
    learning: off.Learning = off.Learning()
    saving: off.Saving = off.Saving()
    demos: off.Demos = off.Demos()
    pair_view: off.PairView = off.PairView()
    sampling: off.PlanSampling = off.PlanSampling()
    skill: off.Skill = off.Skill()
    new_skill: NewSkill = NewSkill()
    skill_output: off.SkillOutput = off.SkillOutput()
    skill_fit: off.SkillFit = named("actions", "skill_fit", heading="skill")
    """What the skill is fitted to: the actions taken, or the effects wanted, through a forward
    model that is learned beside it (right where many actions have the same effect)."""
    skill_modes: int = named(1, "skill_modes", heading="skill")
    """Heads of the skill: with several, each action of many with the same effect may have its own
    head, and the likeliest acts."""
    fine_tuning: FineTuning | None = None
    rules: ClassVar[tuple[Rule, ...]] = (
        *off.ENDS,
        Rule(
            ("extremes",),
            lambda s, _: not s.exploration.epsilon and not s.exploration.random_actions,
            "no action is random: epsilon is 0 and random_actions off",
        ),
        Rule(
            ("output_penalty",),
            lambda s, _: s.skill_fit == "actions" and s.fine_tuning is None,
            "skill_fit is 'actions', and the planner is not fine-tuned",
        ),
        Rule(("skill_fit", "skill_modes"), off.is_formula, "the skill is a formula, of one output"),
        Rule(
            tuple(
                sorted(
                    every_name(off.Exploration)
                    | every_name(off.Learning)
                    | every_name(off.Saving)
                    | every_name(off.Collection)
                    | {"extremes", "skill_rate", "skill_schedule", "noise"}
                )
            ),
            _takes_no_step,
            "a transfer of no steps learns nothing",
        ),
    )
    absent: ClassVar = {
        "standardise": _OWN,
        "clip_states": _OWN,
        "log_std_floor": _OWN,
        "log_std_ceiling": _OWN,
        "smooth_bounds": _OWN,
        "plans": _OWN,
        "first_fit_passes": "a transfer has no stage before its first refit",
    }

    def problems(self) -> Iterator[str]:
        """Effects are taught to a skill of one mode, beside every update."""
        if self.skill_fit != "effects":
            return
        if self.skill_modes != 1:
            yield _effects_go_with("skill_modes", 1, self.skill_modes)
        if self.skill.schedule != "every-update":
            yield _effects_go_with("skill_schedule", "every-update", self.skill.schedule)

    def of_depo(self) -> OffPolicyDePO:
        """The settings of DePO's own updates while fine-tuning."""
        tuning = self.fine_tuning
        assert tuning is not None
        return OffPolicyDePO(
            collection=self.collection,
            exploration=self.exploration,
            noise=self.noise,
            learning=self.learning,
            saving=self.saving,
            networks=tuning.networks,
            demos=self.demos,
            pair_view=self.pair_view,
            planner=off.Planner(rate=tuning.planner_rate),
            sampling=self.sampling,
            decoupled_gradient=tuning.decoupled_gradient,
            calibration=tuning.calibration,
            supervision=tuning.supervision,
            skill=self.skill,
            skill_output=self.skill_output,
            critic=tuning.critic,
            demo_transitions=tuning.demo_transitions,
            discriminator=tuning.discriminator,
        )


def keeps_trunk(settings: MethodSettings) -> bool:
    """Whether a new skill begins with the trunk of another."""
    return isinstance(settings, OnPolicyTransfer | OffPolicyTransfer) and (
        settings.new_skill.start == "trunk"
    )


def _effects_go_with(name: str, wanted: object, given: object) -> str:
    return (
        f"skill_fit 'effects' goes with {name} {wanted}, not {given}: "
        "change it, or pass --skill-fit actions"
    )


_TRUNK = {"skill_start": "trunk"}
_MANY_ROUNDS = {"skill_rounds": 10, "skill_patience": 10}
_FAST: dict[str, Any] = {
    **off_presets.FAST_REWARD,
    **off_presets.FAST_SKILL,
    "random_steps": 2_000,
    "epsilon": 0.05,
    "updates_per_step": 4.0,
    "evaluate_every": 4,
    "checkpoint_every": 5,
}
_MIXED: dict[str, Any] = {
    "skill_fit": "effects",
    "output_penalty": 0.001,
    "extremes": 0.5,
    "anneal": 0.05,
    "anneal_after": 0.2,
}
"""Where many actions have the same effect."""
_FEWER_UPDATES = {"updates_per_step": 1.0}
"""Version 0.1: where a transfer has 50,000 steps, one update for each (lab note 26)."""
_OWN_TASKS = {"v0.1": {"Walker2d-v5": _FEWER_UPDATES, "HalfCheetah-v5": _FEWER_UPDATES}}
_DEPO = {"fast": TASKS["v0.1"], "v0.1": TASKS["v0.1"], "paper": TASKS["paper"]}
"""Fine-tuning has what version 0.1 had: with the recipe's rules it was not tried yet."""
_OF_DEPO = ("supervision", "calibration", "supervision_loss", "reward_shift")
"""What a planner that is fine-tuned has of a task's settings of 'depo'."""


def _tasks(preset: str) -> dict[str, dict[str, Any]]:
    depo, own = _DEPO[preset], _OWN_TASKS.get(preset, {})
    return {
        task: {n: v for n, v in depo.get(task, {}).items() if n in _OF_DEPO} | own.get(task, {})
        for task in {**depo, **own}
    }


METHODS = (
    MethodSpec(
        name=TRANSFER,
        summary="A frozen planner under other actions or dynamics: only the skill is learned.",
        colour="#1b4f8a",
        needs_demonstrations=False,
        has_skill=True,
        takes_planner=True,
        exports=("planner", "skill"),
        implementations={
            ON_POLICY: Implementation(
                settings=OnPolicyTransfer,
                build=deferred("depo.methods.transfer.on_policy:TransferMethod"),
                default_steps=3_840,
                presets={
                    "fast": {
                        **on_presets.RECIPE_SKILL,
                        **_MANY_ROUNDS,
                        **_TRUNK,
                        "batch_steps": 32,
                    },
                    "paper": {**on_presets.AUTHORS_SKILL, "epsilon": 0.01},
                    "v0.1": {**_MANY_ROUNDS, "skill_rate": 1e-3, "epsilon": 0.5},
                },
            ),
            OFF_POLICY: Implementation(
                settings=OffPolicyTransfer,
                build=deferred("depo.methods.transfer.off_policy:TransferMethod"),
                default_steps=20_000,
                presets={
                    "fast": {**_FAST, **_TRUNK},
                    "v0.1": _FAST,
                    "paper": {
                        **{
                            name: value
                            for name, value in AUTHORS.items()
                            if name in every_name(OffPolicyTransfer)
                        },
                        "relabel": True,
                        "refit_every": 5_000,
                        "epsilon": 0.99,
                        "epsilon_decay": 0.1,
                    },
                },
                tasks={preset: _tasks(preset) for preset in _DEPO},
                dynamics={preset: {"mixed": _MIXED} for preset in ("fast", "v0.1")},
            ),
        },
    ),
)
