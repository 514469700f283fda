"""A method from outside depo: its name, settings and presets. No JAX here, so that help is fast."""

from dataclasses import dataclass

from depo.methods.on_policy import settings as on
from depo.methods.registry import ON_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, named


@dataclass(frozen=True)
class NoisySupervised(MethodSettings):
    """Supervised DePO whose demonstrated next states are wrong now and then."""

    collection: on.Collection = on.Collection()
    exploration: on.Exploration = on.Exploration()
    learning: on.Learning = on.Learning()
    saving: on.Saving = on.Saving()
    skill: on.Skill = on.Skill(rate=1e-3)
    planner_rate: float = named(3e-3, "planner_rate", heading="planner")
    """Adam's learning rate for the planner."""
    planner_steps: int = named(20, "planner_steps", heading="planner")
    """Planner steps in one iteration."""
    demo_batch: int = named(64, "demo_batch", heading="planner")
    """Expert transitions in one planner step."""
    label_noise: float = named(0.1, "label_noise", heading="data")
    """Share of demonstrated next states that are replaced by random ones, anew at each update."""


NOISY_SUPERVISED = MethodSpec(
    name="noisy-supervised",
    summary="Supervised DePO from demonstrations of which a share is wrong: how much does it bear?",
    colour="#b8860b",
    has_skill=True,
    exports=("planner", "skill"),
    implementations={
        ON_POLICY: Implementation(
            settings=NoisySupervised,
            build=deferred("noisy_demonstrations.method:build"),
            presets={"fast": {}, "paper": {"skill_rate": 3e-3, "planner_steps": 1}},
        )
    },
)
