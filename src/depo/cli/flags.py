"""Flags from dataclasses: those of plain commands, and those of training commands in two stages.

A training command first reads method, environment and preset, which decide what flags there are and
their defaults, then all flags. A file given by ``--config`` lies below the flags of either.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Annotated, Any, Literal, TypeVar, get_origin, get_type_hints

import tyro

from depo.api import known_skill, learner_for
from depo.cli.config import HELP as CONFIG_HELP
from depo.cli.config import named_in, peek, read_config, trusts
from depo.cli.help import ENVIRONMENT, Flag, print_help
from depo.core.annotations import expected
from depo.core.codec import decode_each, decode_word
from depo.core.errors import DepoError, unknown
from depo.core.imports import allow
from depo.environments.family import (
    EnvironmentSettings,
    families,
    family_of,
    parse_arguments,
    short_name,
)
from depo.methods.ineffective import refuse_ineffective
from depo.methods.presets import Composed, Layer, compose, known_presets
from depo.methods.registry import Implementation, LearnerName, find_method, methods
from depo.methods.settings_tree import (
    MethodSettings,
    documentation,
    every_name,
    flat_values,
    leaves,
    no_setting,
)
from depo.runs.home import find_environment
from depo.runs.job import Job, first_seeds

Command = TypeVar("Command")
HELP_WORDS = {"-h", "--help"}
EARLY: dict[str, Any] = {
    "env": str,
    "preset": str,
    "dynamics": str,
    "skill": str,
    "observe": str,
    "env_args": tuple[str, ...],
}
"""What decides which flags there are."""


@dataclass(frozen=True)
class CommonFlags:
    """What every training command takes."""

    env: str = "gridworld"
    """'gridworld', 'driving', a MuJoCo task (hopper, walker2d, half-cheetah, inverted-pendulum,
    ant, humanoid), any Gymnasium id ('module:Id-v0' imports), or 'module:function', which makes an
    environment."""
    demos: str = ""
    """Demonstrations: an .npz file or a shipped name; empty: the environment's default."""
    steps: int = 12_800
    """Environment steps for each seed."""
    patience: int = 0
    """Stop once the main score has had no new best for this many evaluations ('depo resume' goes on
    from there); 0: take all steps."""
    seed: int = 0
    """The first seed."""
    seeds: int = 1
    """How many seeds, trained together: SEED, SEED+1, …"""
    preset: str = "fast"
    """Where the other defaults come from: what works best, or what the authors did."""
    skill: str = ""
    """A skill folder to begin with (--skill-rate 0 keeps it as it is); in a transfer with --steps 0
    also a formula, module:function; empty: a fresh skill."""
    reward_from: str = ""
    """The reward that airl-transfer learns by: a run of airl, or a folder as RUN/reward/seed-0."""
    out: str = ""
    """The run's folder; empty: the next free one below runs/."""
    strict: bool = False
    """Refuse demonstrations that do not seem to fit the environment, instead of warning."""
    track: Literal["tensorboard", "wandb", "trackio"] = "tensorboard"
    """Who else is told the scalars of metrics.csv; TensorBoard's files are in RUN/events anyway."""
    config: str = ""
    """A TOML file of values for these flags, as 'depo settings … --toml' writes one; a flag that is
    given beats it."""
    engine: Literal["local", "ray", "slurm"] = "local"
    """Who does it. With 'ray' (a cluster; needs the extra), 'slurm' (an array script is written) or
    --workers, every seed is a run of its own on one core, OUT/seed-0 and so on."""
    workers: int = 0
    """How many of these runs at the same time; 0: all seeds together in this process, on a cluster
    as many as it has cores."""
    dry_run: bool = False
    """Only say what would run, from what, for how long and where; nothing is written."""
    trust: bool = False
    """Import the modules that --config, or the run of a planner that somebody else made, names."""
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class VariantFlags:
    """What co-training takes."""

    variants: str = ""
    """The variants that share a planner, comma-separated: vehicles (normal,inverse,transpose,
    truck), k of the grid world (1,2,4), elsewhere dynamics ('as-is,inverted'; with commas inside,
    separate by semicolons: 'as-is;mixed,gravity=0.8') or other environments with the same states
    ('mine:LightArm-v0,mine:HeavyArm-v0')."""
    schedule: Literal["round-robin", "joint"] = "round-robin"
    """Variants take turns with the planner, or it follows the sum of their losses, where the
    method has one for each."""

    def names(self) -> tuple[str, ...]:
        """The variants by name."""
        words = self.variants.split(";" if ";" in self.variants else ",")
        return tuple(word.strip() for word in words if word.strip())


COMMON_HEADINGS = {"demos": "data", "steps": "how long", "patience": "how long"} | dict.fromkeys(
    ("out", "track", "config", "engine", "workers", "dry_run", "trust", "json"), "saving"
)
"""Where common flags are shown, if not under 'what'."""
OF_A_CALL = ("config", "dry_run", "engine", "json", "out", "patience", "track", "trust", "workers")
"""Flags that are about this one call, and no setting of what it does."""


@dataclass(frozen=True)
class Asked:
    """What a command line asks for."""

    job: Job
    common: CommonFlags
    flags: tuple[Flag, ...]
    """Every flag, with the value that holds as its default."""
    origins: Mapping[str, Layer]
    """Where the value of each flag comes from."""


def parse(command: type[Command], argv: list[str], prog: str) -> Command:
    """Flags of a plain dataclass, above the values of ``--config``."""
    file = peek(argv, "--config")
    config = Annotated[str, tyro.conf.arg(help=CONFIG_HELP)]
    kind = dataclasses.make_dataclass(
        command.__name__,
        [("config", config, dataclasses.field(default=""))],
        bases=(command,),
        frozen=True,
    )
    if not HELP_WORDS & set(argv):
        _check_names(_flat_kinds(kind), argv)
        _check_words(_flat_kinds(kind), argv)
    return tyro.cli(
        kind,
        args=argv,
        prog=prog,
        description=inspect.getdoc(command),
        default=_with_config(kind, read_config(file, argv), file),
        config=(tyro.conf.FlagCreatePairsOff,),
    )


def _check_names(kinds: Mapping[str, Any], argv: Iterable[str]) -> None:
    """Refuse a flag that is none, with the nearest that are."""
    known = {"--config", *map(as_flag, kinds)}
    switched_off = {as_flag(f"no_{name}") for name, kind in kinds.items() if kind is bool}
    for word in takewhile(lambda word: word != "--", argv):
        flag = _with_hyphens(word.partition("=")[0])
        is_known = flag in known | switched_off or flag.startswith("--tyro-")
        if flag.startswith("--") and not is_known:
            raise unknown("flag", flag, known)


def _check_words(kinds: Mapping[str, Any], argv: list[str]) -> None:
    """Refuse a flag's value that is not of its kind in a sentence; tyro would draw a box."""
    for word, following in pairwise([*argv, "--"]):
        flag, equals, value = word.partition("=")
        kind = kinds.get(flag[2:].replace("-", "_")) if flag.startswith("--") else None
        if kind in (None, bool) or get_origin(kind) is tuple:
            continue  # what takes no value, or several
        if not equals and following.startswith("--"):
            raise DepoError(f"{flag} needs a value: {expected(kind)}")
        decode_word(kind, value if equals else following, flag)


def _with_config(kind: Any, values: Mapping[str, Any], file: str) -> Any:
    """Defaults of a command with a file's values; what has none stays required."""
    kinds = _flat_kinds(kind)
    with named_in(file):
        for name in values:
            if name not in kinds:
                raise unknown("setting", name, kinds)
    return _filled(kind, decode_each(kinds, values, file), tyro.MISSING)


def _flat_kinds(kind: Any) -> dict[str, Any]:
    """What a file may say of a command: all that is given by flags, those of its parts too."""
    kinds: dict[str, Any] = {}
    plain, marked = get_type_hints(kind), get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        own = plain[field.name]
        if dataclasses.is_dataclass(own):
            kinds |= _flat_kinds(own)
        elif tyro.conf.Positional not in getattr(marked[field.name], "__metadata__", ()):
            kinds[field.name] = own
    kinds.pop("config", None)
    return kinds


def _filled(kind: Any, values: Mapping[str, Any], missing: Any, default: Any = None) -> Any:
    hints, filled = get_type_hints(kind), {}
    for field in dataclasses.fields(kind):
        before = missing if default is None else getattr(default, field.name)
        if field.default is not dataclasses.MISSING and default is None:
            before = field.default
        elif field.default_factory is not dataclasses.MISSING and default is None:
            before = field.default_factory()
        if dataclasses.is_dataclass(hints[field.name]):
            filled[field.name] = _filled(hints[field.name], values, missing, before)
        else:
            filled[field.name] = values.get(field.name, before)
    return kind(**filled)


def parse_job(
    method: str,
    argv: list[str],
    prog: str,
    description: str,
    *,
    planner: str = "",
    cotrains: bool = False,
) -> Asked:
    """The job that a command line describes; an explicit flag beats a file, and that the preset."""
    words = [_with_hyphens(word) for word in argv]
    form = _open_form(method, words, planner, cotrains)
    if HELP_WORDS & set(words):
        print_help(prog, description, form.flags)
        raise SystemExit(0)
    given = form.given(words)
    return form.asked(form.parse(words, prog), given)


def _with_hyphens(word: str) -> str:
    flag, equals, value = word.partition("=")
    return flag.replace("_", "-") + equals + value if word.startswith("--") else word


def _open_form(method: str, argv: list[str], planner: str, cotrains: bool) -> Form:
    """Stage one: what decides which flags there are, and their defaults."""
    file = peek(argv, "--config")
    config = read_config(file, argv)
    early = decode_each(EARLY, {n: config[n] for n in EARLY if n in config}, file)

    def said(name: str) -> str:
        return peek(argv, f"--{name}") or early.get(name, "")

    arguments = _peek_arguments(argv)
    if arguments is None:
        arguments = parse_arguments(early.get("env_args", ()))
    trust = trusts(argv)
    found = find_environment(said("env"), planner, arguments, trust=trust, observe=said("observe"))
    learner = learner_for(found)
    implementation = find_method(method).implementation(learner)
    presets = known_presets(implementation)
    if (preset := said("preset") or "fast") not in presets:
        raise unknown("preset", preset, presets)
    common = CommonFlags(
        env=short_name(found),
        steps=implementation.default_steps,
        preset=preset,
    )
    form = Form(
        method=method,
        planner=planner,
        learner=learner,
        found=found,
        environment=find_environment(said("env"), planner, trust=trust),
        dynamics=said("dynamics"),
        skill=said("skill"),
        file=file,
        config=config,
        groups=(common, family_of(found).flags(found), *([VariantFlags()] if cotrains else [])),
        switches=_switches(implementation.settings, argv),
    )
    return form.with_config()


@dataclass(frozen=True)
class Form:
    """The flags of a training command, and what lies below them."""

    method: str
    planner: str
    learner: LearnerName
    found: EnvironmentSettings
    """The environment that decides about flags."""
    environment: EnvironmentSettings
    """The same before its own flags are read."""
    dynamics: str
    skill: str
    file: str
    config: Mapping[str, Any]
    """What the file says, of settings only once :meth:`with_config` has looked at it."""
    groups: tuple[Any, ...]
    """Common flags, the environment's own, those of co-training."""
    switches: Mapping[str, Any]
    """Flags that switch parts of the settings on, whose own flags come with them."""
    origins: Mapping[str, Layer] = dataclasses.field(default_factory=dict)
    """Where defaults of other flags than settings come from."""

    @property
    def implementation(self) -> Implementation:
        """The method for the learner that the environment needs."""
        return find_method(self.method).implementation(self.learner)

    def with_config(self) -> Form:
        """The form with the file's values as defaults."""
        groups, left = [], dict(self.config)
        for group in self.groups:
            kinds = get_type_hints(type(group))
            own = {name: left.pop(name) for name in [*left] if name in kinds}
            if "config" in own:
                raise DepoError(f"{self.file}: 'config' names a file in a file: leave it out")
            groups.append(dataclasses.replace(group, **decode_each(kinds, own, self.file)))
        said: dict[str, Layer] = dict.fromkeys(set(self.config) - set(left), "config")
        form = dataclasses.replace(self, groups=tuple(groups), config={}, origins=said)
        if not left:
            return form
        with named_in(self.file):
            kind = self.implementation.settings
            for name in left:
                if name not in every_name(kind):
                    raise form.no_flag(name)
            settings = form.composed({**self.switches, **left}).settings
        kinds = {leaf.name: leaf.type for leaf in leaves(settings)}
        return dataclasses.replace(form, config=decode_each(kinds, left, self.file))

    def composed(self, flags: Mapping[str, Any]) -> Composed:
        """The settings under these flags."""
        return compose(
            self.method,
            self.groups[0].preset,
            self.learner,
            self.found.id,
            self.dynamics,
            self.skill,
            config=self.config,
            flags=flags,
        )

    @cached_property
    def flags(self) -> tuple[Flag, ...]:
        """Every flag with its default."""
        common, own, *together = self.groups
        settings = self.composed(self.switches).settings
        values = flat_values(settings)
        if clash := {leaf.name for leaf in leaves(settings)} & {f.name for f in _fields(own)}:
            raise DepoError(
                f"'{min(clash)}' is a setting of the method '{self.method}' and a flag of the "
                f"environment '{self.found.label}': one of the two has to be renamed"
            )
        every = (_flag(common, f, COMMON_HEADINGS.get(f.name, "what")) for f in _fields(common))
        presets: Any = Literal[known_presets(self.implementation)]
        return (
            *(dataclasses.replace(f, type=presets) if f.name == "preset" else f for f in every),
            *(_flag(group, f, "what") for group in together for f in _fields(group)),
            *(_flag(own, f, ENVIRONMENT) for f in _fields(own)),
            *(
                Flag(leaf.name, leaf.type, values[leaf.name], leaf.doc, leaf.heading)
                for leaf in leaves(settings)
            ),
        )

    def given(self, argv: Iterable[str]) -> set[str]:
        """The flags that a command line names, by the names of settings."""
        known = {flag.name for flag in self.flags}
        named = set()
        for word in argv:
            name = word[2:].partition("=")[0].replace("-", "_")
            if not word.startswith("--") or name.startswith("tyro_"):
                continue
            name = name if name in known else name.removeprefix("no_")
            if name not in known:
                raise self.no_flag(name, dashes=True)
            named.add(name)
        return named

    def no_flag(self, name: str, *, dashes: bool = False) -> DepoError:
        """The error for a name that is no flag here: with the reason where it is one elsewhere."""
        kind = self.implementation.settings
        known = {flag.name for flag in self.flags}
        if name in kind.absent or name in every_name(kind):
            return no_setting(kind, name, known)
        for family in families().values():
            fields = {field.name for field in dataclasses.fields(family.settings)}
            if family.settings_are_flags and name in fields:
                return DepoError(f"{name} has no effect here: it is for --env {family.names[0]}")
        if name in {f.name for f in dataclasses.fields(VariantFlags)}:
            return DepoError(f"{name} has no effect here: it is for 'depo cotrain'")
        having = [
            spec.name
            for spec in methods().values()
            if any(name in every_name(own.settings) for own in spec.implementations.values())
        ]
        if having:
            return DepoError(
                f"{name} has no effect here: {self.method} with the {self.learner} learner has no "
                f"such setting (others have: {', '.join(having)})"
            )
        if dashes:
            return unknown("flag", as_flag(name), map(as_flag, known))
        return unknown("setting", name, known)

    def parse(self, argv: list[str], prog: str) -> dict[str, Any]:
        """The value of every flag."""
        fields = [
            (
                flag.name,
                Annotated[flag.type, tyro.conf.arg(help=flag.doc)],
                dataclasses.field(default=flag.default),
            )
            for flag in self.flags
        ]
        _check_words({flag.name: flag.type for flag in self.flags}, argv)
        kind = dataclasses.make_dataclass("Flags", fields, frozen=True)
        parsed: Any = tyro.cli(kind, args=argv, prog=prog)
        return {name: getattr(parsed, name) for name, _, _ in fields}

    def asked(self, values: Mapping[str, Any], given: set[str]) -> Asked:
        """The job, checked: what was given and has no effect is refused."""
        common, own, *together = (
            type(group)(**{f.name: values[f.name] for f in _fields(group)}) for group in self.groups
        )
        variants = together[0] if together else VariantFlags()
        flags = self.flags
        own_names = {f.name for group in self.groups for f in _fields(group)}
        chosen = {name: values[name] for name in given if name not in own_names}
        settings, origins = self.composed(chosen)
        job = Job(
            method=self.method,
            learner=self.learner,
            settings=settings,
            environment=family_of(self.found).with_flags(self.environment, own),
            steps=common.steps,
            seeds=first_seeds(common.seed, common.seeds),
            preset=common.preset,
            demos=common.demos,
            skill=known_skill(self.method, self.found, common.skill),
            planner=self.planner,
            reward_from=common.reward_from,
            variants=variants.names(),
            schedule=variants.schedule,
        )
        allow(job.wants)
        self._refuse_replaced(job, own, given)
        refuse_ineffective(chosen, job.settings, job.facts)
        with named_in(self.file):
            refuse_ineffective(self.config, job.settings, job.facts)
        others: dict[str, Layer] = dict.fromkeys(own_names, "default")
        others |= dict(self.origins) | dict.fromkeys(given & own_names, "flag")
        now = tuple(dataclasses.replace(flag, default=values[flag.name]) for flag in flags)
        return Asked(job, common, now, others | origins)

    def _refuse_replaced(self, job: Job, own: Any, given: set[str]) -> None:
        """Refuse flags of the environment that make no difference to any variant of it."""
        before, family = self.groups[1], family_of(self.found)
        for name in given & {f.name for f in _fields(own)} if job.variants else ():
            default = getattr(before, name)
            without = family.with_flags(
                self.environment, dataclasses.replace(own, **{name: default})
            )
            if without != job.environment and all(
                without.variant(each) == job.environment.variant(each) for each in job.variants
            ):
                raise DepoError(f"{name} has no effect here: every variant has its own")


def as_flag(name: str) -> str:
    """A setting's name as the command line writes it."""
    return f"--{name.replace('_', '-')}"


def _fields(group: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(group)


def _flag(group: Any, field: dataclasses.Field[Any], heading: str) -> Flag:
    """A field of a plain dataclass as a flag."""
    kind = type(group)
    doc = documentation(kind).get(field.name, "")
    hint = get_type_hints(kind)[field.name]
    return Flag(field.name, hint, getattr(group, field.name), doc, heading)


def _switches(kind: type[MethodSettings], argv: list[str]) -> dict[str, Any]:
    """Optional parts that flags switch on, whose own flags come with them."""
    switches = [leaf for leaf in leaves(kind) if leaf.default is None]
    said = [(leaf, as_flag(leaf.name), peek(argv, as_flag(leaf.name))) for leaf in switches]
    return {leaf.name: decode_word(leaf.type, word, flag) for leaf, flag, word in said if word}


def _peek_arguments(argv: list[str]) -> dict[str, Any] | None:
    """Constructor arguments before they are parsed: the spaces may depend on them."""
    if "--env-args" not in argv:
        return None
    words = argv[argv.index("--env-args") + 1 :]
    return parse_arguments(list(takewhile(lambda w: not w.startswith("--"), words)))
