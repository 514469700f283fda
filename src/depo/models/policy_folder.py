"""A policy as a folder, like a planner's: ``weights.safetensors``, ``settings.json``, ``card.md``.

It holds all that acting needs: the shapes of the networks, the statistics by which they see states
(as weights), the environment's spaces in its own units, and whether the skill remembers the state
before. A skill that is a formula is stored by its name; loading a folder imports
no module but those that environment families have registered, never one of somebody else's choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import jax

from depo.core.codec import decode, encode
from depo.core.errors import DepoError
from depo.core.files import read_object, write_bytes
from depo.core.folders import check_folder
from depo.core.formats import Data, Format
from depo.core.imports import allow, distrust, refuse
from depo.core.markdown import inline
from depo.models.acting import Policy, Space
from depo.models.card import (
    CARD,
    SETTINGS,
    Digests,
    Origin,
    named_features,
    scores_table,
    trained_in,
    without_digest,
)
from depo.models.folder import build, has_folder, shape_of
from depo.models.planner import GaussianPlanner
from depo.models.policy import (
    CategoricalActor,
    DecoupledPolicy,
    DiscreteActor,
    GaussianActor,
    PolicyModel,
    check_formula,
)
from depo.models.shapes import (
    SHAPES,
    CategoricalActorShape,
    CategoricalPlannerShape,
    CategoricalSkillShape,
    DiscreteActorShape,
    DiscreteSkillShape,
    FollowingPlannerShape,
    FormulaShape,
    GaussianPlannerShape,
    StateRewardShape,
    VariationalPlannerShape,
)
from depo.models.skill import AnalyticSkill, DiscreteSkill, VectorSkill
from depo.models.skill_source import formula_skill, own_name, skill_from, wanted_formula
from depo.models.weights_file import load_weights, save_weights, settled
from depo.zoo.entries import located

Formula = Callable[[jax.Array, jax.Array], jax.Array] | AnalyticSkill | str
FINITE = CategoricalPlannerShape | CategoricalSkillShape | CategoricalActorShape
PLANNERS = (
    CategoricalPlannerShape | GaussianPlannerShape | VariationalPlannerShape | FollowingPlannerShape
)
ACTORS = CategoricalActor | GaussianActor | DiscreteActor
FORMAT = Format("policy folder", (without_digest,), signed=True)


@dataclass(frozen=True)
class _Stored:
    """``settings.json``."""

    kind: Literal["policy"]
    model: Literal["decoupled", "actor"]
    parts: Mapping[str, Any]
    """The shapes of planner and skill, or of the actor."""
    observations: Space
    actions: Space
    remembers: bool
    spread: bool
    """Whether random actions come from random plans."""
    origin: Origin
    weights: Digests


def save_policy(path: str | Path, policy: Policy) -> Path:
    """Write a policy folder.

    >>> import tempfile
    >>> actor = CategoricalActor(jax.random.key(0), states=5, actions=2, hidden=(8,))
    >>> policy = Policy(actor, observations=Space.finite(5), actions=Space.finite(2))
    >>> bool(load_policy(save_policy(tempfile.mkdtemp(), policy)).act(3) == policy.act(3))
    True
    """
    path, model = Path(path), policy.model
    parts = {name: _shape(part) for name, part in _parts(model).items()}
    stored = _Stored(
        kind="policy",
        model="decoupled" if isinstance(model, DecoupledPolicy) else "actor",
        parts=encode(parts),
        observations=policy.observations,
        actions=policy.actions,
        remembers=policy.remembers,
        spread=model.spread if isinstance(model, DecoupledPolicy) else True,
        origin=policy.origin.kept(),
        weights=(),
    )
    write_bytes(path / CARD, _text(policy, parts).encode())
    formulas = [part.name for part in parts.values() if isinstance(part, FormulaShape)]
    wanted = [x for name in formulas for x in wanted_formula(name)]

    def describe(digests: Digests) -> None:
        FORMAT.write(path / SETTINGS, encode(replace(stored, weights=digests)), wanted)

    save_weights(path, _parts(model), describe)
    return path


def load_policy(path: str | Path, *, skill: Formula | None = None, trust: bool = False) -> Policy:
    """Read a policy folder, such as RUN/policy/seed-0.

    A formula is not imported because somebody else's folder says so: name it here (``skill``), as a
    function (state, target) → action or as ``'module:function'``, or ``trust`` the folder.
    """
    return settled(lambda: _load(located(path, "policy", "policy"), skill, trust))


def _load(path: Path, skill: Formula | None, trust: bool) -> Policy:
    if not (path / SETTINGS).exists():
        raise DepoError(
            f"{path} is not a policy folder (no {SETTINGS} in it): give a folder such as "
            "RUN/policy/seed-0"
        )
    check_folder(path)
    said = read_object(path / SETTINGS)
    stored = decode(_Stored, FORMAT.migrated(said, str(path / SETTINGS)), str(path / SETTINGS))
    names = ("planner", "skill") if stored.model == "decoupled" else ("actor",)
    if set(stored.parts) != set(names):
        raise DepoError(f"{path / SETTINGS} has the parts {sorted(stored.parts)}, not {names}")
    shapes, formula = {}, None
    for name in names:
        given = stored.parts[name]
        if name == "skill" and isinstance(given, Mapping) and given.get("model") == "formula":
            shape = decode(FormulaShape, given, str(path / SETTINGS))
            formula = _formula(path, said, shape, skill, trust)
        else:
            shapes[name] = decode(SHAPES[name], given, f"{path / SETTINGS}: {name}")
    if skill is not None and formula is None:
        raise DepoError(f"the skill of {path} is no formula: leave skill out")

    def skeleton(key: Any) -> Any:
        made = {name: build(key, shape) for name, shape in shapes.items()}
        return made if formula is None else {**made, "skill": formula}

    parts = load_weights(path, "policy", skeleton, stored.weights)
    decoupled = stored.model == "decoupled"
    model = (
        DecoupledPolicy(parts["planner"], parts["skill"], stored.spread)
        if decoupled
        else parts["actor"]
    )
    choices = stored.actions.choices
    check_formula(model, sum(choices) if choices else math.prod(stored.actions.shape))
    _check_spaces(model, stored, path / SETTINGS)
    return Policy(
        model,
        observations=stored.observations,
        actions=stored.actions,
        remembers=stored.remembers,
        origin=stored.origin,
    )


def _check_spaces(model: PolicyModel, stored: _Stored, file: Path) -> None:
    """Refuse spaces that are not those of the networks."""
    states, actions = stored.observations, stored.actions
    size = math.prod(states.shape)
    sees = {size, 2 * size} if stored.remembers else {size}
    parts = [part for part in _parts(model).values() if not isinstance(part, AnalyticSkill)]
    for part in parts:
        shape = shape_of(part)
        if isinstance(shape, FINITE):
            fits = shape.states == states.count
        else:
            fits = states.count is None and shape.sees in sees
        if isinstance(shape, DiscreteSkillShape | DiscreteActorShape):
            fits = fits and shape.choices == actions.choices
        elif not isinstance(shape, PLANNERS | StateRewardShape):
            bounded = actions.low is not None and actions.high is not None
            of_box = math.prod(actions.shape) * (bounded and not actions.choices)
            own = actions.count if isinstance(shape, FINITE) else of_box
            fits = fits and shape.actions == own
        if not fits:
            raise DepoError(
                f"{file}: states ({states}) or actions ({actions}) are not those of its "
                f"{shape.model} network: damaged?"
            )
    plan = GaussianPlanner | VectorSkill | DiscreteSkill
    planned = {part.predicts for part in parts if isinstance(part, plan)}
    if len(planned) > 1:
        raise DepoError(
            f"{file}: its skill goes to other features than its planner plans: damaged?"
        )
    if size > 1 and len(stored.origin.features) not in (0, size):
        raise DepoError(
            f"{file} names {len(stored.origin.features)} features of {size}: name all, or none"
        )


def _formula(
    path: Path, said: Data, stored: FormulaShape, given: Formula | None, trust: bool
) -> AnalyticSkill:
    """The formula that the user gives, or the one that a folder names and may name."""
    if given is not None and not isinstance(given, str):
        return skill_from(given, own_name(given), stored.time_step)
    name, wanted = given or stored.name, wanted_formula(stored.name)
    if trust or given is not None:
        allow([name])
    elif wanted and not FORMAT.allow_own(said, wanted):
        distrust(wanted, str(path))
        raise DepoError(f"{refuse(str(path), wanted)}; or give it, skill=my_function")
    return formula_skill(name, stored.time_step)


def can_be_saved(model: PolicyModel) -> bool:
    """Whether a folder can hold it; a third party's own class, or a formula without a name, not."""
    if isinstance(model, DecoupledPolicy):
        named = isinstance(model.skill, AnalyticSkill) and bool(model.skill.name)
        return has_folder(model.planner) and (named or has_folder(model.skill))
    return has_folder(model) and isinstance(model, ACTORS)


def _parts(model: PolicyModel) -> dict[str, Any]:
    if isinstance(model, DecoupledPolicy):
        return {"planner": model.planner, "skill": model.skill}
    if isinstance(model, ACTORS):
        return {"actor": model}
    raise DepoError(
        f"a policy of the class {type(model).__name__} cannot be saved: it is neither a planner "
        "with a skill, nor one of depo's actors"
    )


def _shape(part: Any) -> Any:
    if not isinstance(part, AnalyticSkill):
        return shape_of(part)
    if not part.name:
        raise DepoError(
            "this skill is a function without a name and cannot be saved: give it as "
            "'module:function'"
        )
    return FormulaShape(part.name, part.time_step)


def _text(policy: Policy, parts: Mapping[str, Any]) -> str:
    origin = policy.origin
    networks = "\n".join(f"- {name}: {_described(shape)}" for name, shape in parts.items())
    memory = "\n- the skill remembers the state before" if policy.remembers else ""
    return f"""# A policy of {inline(origin.method)}

- observations: {policy.observations} ({named_features(origin)})
- actions: {policy.actions} ({policy.actions.dtype}, the environment's own units)
{networks}{memory}
- {trained_in(origin)}
- trained on: {inline(origin.trained_on)}

Load it with `depo.load_policy(FOLDER)` and act with `policy.act(observation)`.

{scores_table(origin)}
"""


def _described(shape: Any) -> str:
    if isinstance(shape, FormulaShape):
        return f"the formula {shape.name}"
    return f"{shape.model}, hidden layers {list(shape.hidden)}"
