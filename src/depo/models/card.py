"""What a model's folder says of it: shape and origin, in ``settings.json`` and ``card.md``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from depo.core.codec import Natural, Positive, decode, encode
from depo.core.errors import DepoError, readable
from depo.core.files import read_object, write_bytes
from depo.core.folders import check_folder
from depo.core.formats import Data, Format
from depo.core.imports import leading
from depo.core.markdown import inline

SETTINGS, CARD = "settings.json", "card.md"
NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
LogDeviation = Annotated[float, msgspec.Meta(ge=-80, le=80)]
"""Whose exponential a float holds."""
Hidden = Annotated[tuple[Positive, ...], msgspec.Meta(max_length=64)]
"""Widths of hidden layers; every layer is compiled on its own."""
Choices = Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1, max_length=64)]
"""Among how many each choice of an action is."""
PairInput = Literal["difference", "states"]
Digests = tuple[Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")], ...]
"""Any of which a file may have; none: not known, from before that was kept."""


@dataclass(frozen=True)
class Origin:
    """Where a saved model comes from."""

    environment: str = "unknown"
    method: str = "unknown"
    features: tuple[str, ...] = ()
    trained_on: str = "unknown"
    env_steps: int = 0
    seed: int = 0
    scores: Mapping[str, float] = field(default_factory=dict)
    varied: str = ""
    """What was redrawn at every reset while it was trained."""
    home: Mapping[str, Any] = field(default_factory=dict)
    """The environment with all its arguments, by which it is opened again, signed by itself. Empty:
    not known, or an object."""

    def kept(self) -> Origin:
        """As a folder of this user's may say it: where somebody else's names files or modules, its
        environment is left out."""
        strange = leading(self.home.items()) and not HOME.is_own(dict(self.home))
        return replace(self, home={}) if strange else self


@dataclass(frozen=True)
class CategoricalPlannerShape:
    """Of a planner over finite states."""

    states: Positive
    hidden: Hidden
    model: Literal["categorical"] = "categorical"


@dataclass(frozen=True)
class GaussianPlannerShape:
    """Of a planner over vectors."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    log_std_bounds: tuple[LogDeviation, LogDeviation]
    absolute: bool
    hidden: Hidden
    smooth: bool = False
    steps: bool = False
    model: Literal["gaussian"] = "gaussian"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)
        low, high = self.log_std_bounds
        if low > high:
            raise DepoError(f"log_std_bounds {[low, high]} are not in order: damaged?")


@dataclass(frozen=True)
class VariationalPlannerShape:
    """Of a planner over vectors with a bottleneck."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    latent: Positive
    hidden: Hidden
    steps: bool = False
    model: Literal["variational"] = "variational"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)


@dataclass(frozen=True)
class FollowingPlannerShape:
    """Of a planner that is a demonstration, with a goal recogniser."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    rows: Positive
    hidden: Hidden
    steps: bool = False
    ahead: Positive = 1
    model: Literal["following"] = "following"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)


@dataclass(frozen=True)
class CategoricalSkillShape:
    """Of a skill between finite states."""

    states: Positive
    actions: Positive
    hidden: Hidden
    model: Literal["categorical"] = "categorical"


@dataclass(frozen=True)
class VectorSkillShape:
    """Of a skill between vectors."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    actions: Positive
    noise: NotNegative | None
    pair_input: PairInput
    modes: Positive
    hidden: Hidden
    steps: bool = False
    model: Literal["vector"] = "vector"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)
        if self.modes > 1 and self.noise is None:
            raise DepoError(f"noise None with {self.modes} modes: heads have a fixed noise")


@dataclass(frozen=True)
class DiscreteSkillShape:
    """Of a skill between vectors over finitely many actions."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    choices: Choices
    pair_input: PairInput
    hidden: Hidden
    steps: bool = False
    model: Literal["discrete"] = "discrete"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)


@dataclass(frozen=True)
class FormulaShape:
    """Of a skill that is a formula: its name, never its code."""

    name: str
    time_step: float | None = None
    """Seconds of a step, where the formula depends on it."""
    model: Literal["formula"] = "formula"


@dataclass(frozen=True)
class CategoricalActorShape:
    """Of a plain policy on finite states."""

    states: Positive
    actions: Positive
    hidden: Hidden
    model: Literal["categorical"] = "categorical"


@dataclass(frozen=True)
class GaussianActorShape:
    """Of a plain policy on vectors."""

    sees: Positive
    clip: NotNegative
    actions: Positive
    hidden: Hidden
    steps: bool = False
    model: Literal["gaussian"] = "gaussian"


@dataclass(frozen=True)
class DiscreteActorShape:
    """Of a plain policy on vectors over finitely many actions."""

    sees: Positive
    clip: NotNegative
    choices: Choices
    hidden: Hidden
    steps: bool = False
    model: Literal["discrete"] = "discrete"


@dataclass(frozen=True)
class StateRewardShape:
    """Of a reward of states, with its potential."""

    sees: Positive
    clip: NotNegative
    gamma: Annotated[float, msgspec.Meta(ge=0, lt=1)]
    hidden: Hidden
    steps: bool = False
    model: Literal["state"] = "state"


Shape = (
    CategoricalPlannerShape
    | GaussianPlannerShape
    | VariationalPlannerShape
    | FollowingPlannerShape
    | CategoricalSkillShape
    | VectorSkillShape
    | DiscreteSkillShape
    | CategoricalActorShape
    | GaussianActorShape
    | DiscreteActorShape
    | StateRewardShape
)
SHAPES: dict[str, Any] = {
    "planner": CategoricalPlannerShape
    | GaussianPlannerShape
    | VariationalPlannerShape
    | FollowingPlannerShape,
    "skill": CategoricalSkillShape | VectorSkillShape | DiscreteSkillShape,
    "actor": CategoricalActorShape | GaussianActorShape | DiscreteActorShape,
    "reward": StateRewardShape,
}
"""What a folder of each kind may hold; a policy's holds a planner and a skill, or an actor."""


@dataclass(frozen=True)
class Card:
    """A model's kind, shape and origin, which its folder holds beside the weights."""

    kind: str
    shape: Shape
    origin: Origin
    weights: Digests = ()
    """Of the file of weights; see :func:`depo.models.weights_file.save_weights`."""

    def save(self, folder: Path) -> None:
        """Write ``settings.json``, and ``card.md`` for people."""
        finite = {name: x for name, x in self.origin.scores.items() if math.isfinite(x)}
        origin = encode(self.origin.kept()) | {"scores": encode(finite)}
        write_bytes(folder / CARD, self._text().encode())
        stored = {"kind": self.kind, "shape": encode(self.shape), "origin": origin}
        FORMAT.write(folder / SETTINGS, {**stored, "weights": list(self.weights)})

    @classmethod
    def load(cls, folder: Path, kind: str) -> Card:
        """Read what is said of the model of that kind in a folder."""
        file = folder / SETTINGS
        if not file.exists():
            raise DepoError(
                f"{folder} is not a {kind} folder (no {SETTINGS} in it): "
                f"give a folder such as RUN/{kind}/seed-0"
            )
        check_folder(folder)
        held = read_object(file).get("kind")  # before the format: a policy's is another one
        if isinstance(held, str) and held != kind:
            raise DepoError(
                f"{folder} holds a {readable(held)}, not a {kind}: give a folder such as "
                f"RUN/{kind}/seed-0"
            )
        stored = decode(_Stored, FORMAT.read(file), str(file))
        shape = decode(SHAPES[kind], stored.shape, f"{file} does not describe a {kind}: shape")
        return cls(kind, shape, stored.origin, stored.weights)

    def _text(self) -> str:
        shape, origin = encode(self.shape), self.origin
        finite = "states" in shape
        space = f"{shape['states']} finite states" if finite else f"{shape['sees']} features"
        carried = {
            "planner": ", or carry it to other dynamics with `depo transfer`",
            "reward": ", or learn by it elsewhere with `depo train airl-transfer --reward-from`",
        }
        return f"""# A {shape["model"]} {self.kind}

- state space: {space} ({named_features(origin)})
- {trained_in(origin)}
- varied at every reset: {inline(origin.varied) or "nothing"}
- trained on: {inline(origin.trained_on)}
- method: {inline(origin.method)}
- network: hidden layers {shape["hidden"]}

Load it with `depo.load_{self.kind}(FOLDER)`{carried.get(self.kind, "")}.

{scores_table(origin)}
"""


def named_features(origin: Origin) -> str:
    """What states are made of, for a card."""
    return ", ".join(map(inline, origin.features)) or "unnamed"


def trained_in(origin: Origin) -> str:
    """Where a model was trained and for how long, for a card."""
    steps = f"{origin.env_steps:,} environment steps"
    return f"trained in: {inline(origin.environment)}, {steps}, seed {origin.seed}"


def scores_table(origin: Origin) -> str:
    """The scores at the time of saving, for a card."""
    scores = "\n".join(f"| {inline(name)} | {value:.4g} |" for name, value in origin.scores.items())
    return f"| score | value |\n| --- | --- |\n{scores}"


def read_origin(folder: str | Path) -> Origin:
    """Where the model in a folder comes from, of whatever kind it is."""
    check_folder(Path(folder))
    file = Path(folder) / SETTINGS
    return decode(_Stored, FORMAT.read(file), str(file)).origin


@dataclass(frozen=True)
class _Stored:
    kind: str
    shape: Mapping[str, Any]
    weights: Digests
    origin: Origin = field(default_factory=Origin)


def _since_2(old: Data) -> Data:
    """Skills say how many modes they have; scores are finite."""
    origin, shape = dict(old.get("origin", {})), dict(old["shape"])
    if shape.get("model") == "vector":
        shape = {"modes": 1, **shape}
    if isinstance(scores := origin.get("scores"), dict):
        finite = {n: x for n, x in scores.items() if not isinstance(x, float) or math.isfinite(x)}
        origin["scores"] = finite
    return {**old, "shape": shape, "origin": origin}


def without_digest(old: Data) -> Data:
    """Before folders held a digest of their weights."""
    return {**old, "weights": []}


HOME = Format("model's environment", signed=True)
FORMAT = Format("planner or skill folder", (_since_2, without_digest), signed=True)


def _check_predicts(predicts: tuple[int, ...], sees: int) -> None:
    if len(set(predicts)) < len(predicts) or not predicts or max(predicts) >= sees:
        raise DepoError(
            f"predicts {list(predicts)} are not different features of the {sees} that are seen: "
            "damaged?"
        )
