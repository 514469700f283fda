"""Flags of training commands, in two stages.

Method, environment and preset are read first, which decide what flags there are and their defaults,
then all flags. A file given by ``--config`` lies below the flags of either.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Annotated, Any, Literal, get_type_hints

import tyro

from depo.cli.config import named_in, peek, read_config, trusts
from depo.cli.flags import HELP_WORDS, as_flag, check_strays, check_words, with_hyphens
from depo.cli.help import ENVIRONMENT, Flag, print_help
from depo.cli.training_flags import COMMON_HEADINGS, CommonFlags, VariantFlags
from depo.core.codec import decode_each, decode_word
from depo.core.errors import DepoError, unknown
from depo.core.imports import allow
from depo.environments.arguments import parse_arguments
from depo.environments.by_name import short_name
from depo.environments.family import EnvironmentSettings, families, family_of
from depo.methods.for_environment import known_skill, learner_for
from depo.methods.ineffective import refuse_ineffective
from depo.methods.presets import Composed, Layer, compose, known_presets
from depo.methods.registry import Implementation, LearnerName, find_method, methods
from depo.methods.setting_docs import documentation
from depo.methods.settings_tree import MethodSettings, every_name, flat_values, leaves, no_setting
from depo.runs.home import find_environment
from depo.runs.job import Job, first_seeds

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
class Asked:
    """What a command line asks for."""

    job: Job
    common: CommonFlags
    flags: tuple[Flag, ...]
    """Every flag, with the value that holds as its default."""
    origins: Mapping[str, Layer]
    """Where the value of each flag comes from."""


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
    words = [with_hyphens(word) for word in argv]
    form = _open_form(method, words, planner, cotrains)
    if HELP_WORDS & set(words):
        print_help(prog, description, form.flags)
        raise SystemExit(0)
    given = form.given(words)
    return form.asked(form.parse(words, prog), given)


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
            self.planner,
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
        kinds = {flag.name: flag.type for flag in self.flags}
        check_words(kinds, argv)
        check_strays(kinds, argv)
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
