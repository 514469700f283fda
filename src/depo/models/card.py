"""What a model's folder says of it: shape and origin, in ``settings.json`` and ``card.md``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec

from depo.core.codec import decode, encode
from depo.core.errors import DepoError, readable
from depo.core.files import read_object, write_bytes
from depo.core.folders import check_folder
from depo.core.formats import Data, Format
from depo.core.imports import leading
from depo.core.markdown import inline
from depo.models.shapes import SHAPES, Shape

SETTINGS, CARD = "settings.json", "card.md"
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
