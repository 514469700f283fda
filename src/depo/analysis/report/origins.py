"""Every setting of a run, where its value comes from, and the command that asks for it again."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError
from depo.environments.by_name import short_name
from depo.environments.family import EnvironmentSettings, family_of
from depo.environments.names import is_given
from depo.methods.presets import Composed, compose
from depo.methods.settings_tree import Setting, flat_values, leaves
from depo.runs.job import IN_MEMORY, Job
from depo.runs.run import DEMOS

FLAG, DERIVED = "flag", "derived"


@dataclass(frozen=True)
class SettingOrigin:
    """One setting of a run."""

    name: str
    value: Any
    origin: str
    """default, preset, task, dynamics or skill, as ``depo settings --why`` says; 'flag' where none
    of them has this value; 'derived' where 0 stands for a rule."""
    heading: str
    doc: str


def settings_with_origins(job: Job) -> list[SettingOrigin]:
    """All settings, grouped as in ``--help``.

    >>> first = settings_with_origins(Job(preset="v0.1"))[0]
    >>> first.origin in ("default", "preset", "task")
    True
    """
    values, below = flat_values(job.settings), _without_flags(job)
    found = [
        SettingOrigin(
            leaf.name, values[leaf.name], _origin(leaf, values, below), leaf.heading, leaf.doc
        )
        for leaf in leaves(job.settings)
    ]
    headings = list(dict.fromkeys(own.heading for own in found))
    return sorted(found, key=lambda own: headings.index(own.heading))


def _without_flags(job: Job) -> Composed | None:
    """What the preset alone gives; None: it cannot be told, as with a skill that is gone."""
    with contextlib.suppress(DepoError, OSError):
        return compose(
            job.method,
            job.preset,
            job.learner,
            job.environment.id,
            job.environment.dynamics,
            job.skill,
            job.planner,
        )
    return None


def _origin(leaf: Setting, values: dict[str, Any], below: Composed | None) -> str:
    value = values[leaf.name]
    if below is None:
        return "default" if value == leaf.default else "preset or flag"
    before = flat_values(below.settings)
    if leaf.name not in before or before[leaf.name] != value:
        return FLAG
    if value == 0 and not isinstance(value, bool) and _is_derived(leaf):
        return DERIVED
    return below.origins[leaf.name]


def _is_derived(leaf: Setting) -> bool:
    fields = {field.name: field for field in dataclasses.fields(leaf.owner)}
    return bool(fields[leaf.path[-1]].metadata.get("derived"))


def command_of(job: Job, run: Path) -> str:
    """The command that trains a run's job again; empty: no command line says it (an environment
    that was given as an object, seeds with gaps)."""
    first, count = job.seeds[0], len(job.seeds)
    if is_given(job.environment.id) or job.seeds != tuple(range(first, first + count)):
        return ""
    words = ["depo", *_what(job), *_environment(job.environment)]
    demos = str(run / DEMOS) if job.demos == IN_MEMORY else job.demos
    words += ["--demos", demos] if demos else []
    words += ["--steps", str(job.steps), "--seed", str(first), "--seeds", str(count)]
    words += ["--preset", job.preset]
    if job.skill and job.skill != _own_formula(job):
        words += ["--skill", job.skill]
    for setting in settings_with_origins(job):
        if setting.origin in (FLAG, "preset or flag"):
            words += _flag(setting.name, setting.value)
    return shlex.join(words)


def _what(job: Job) -> list[str]:
    if job.spec.takes_planner:
        return ["transfer", job.planner]
    if job.variants:
        return ["cotrain", job.method, "--variants", ";".join(job.variants)] + (
            ["--schedule", job.schedule] if job.spec.adds_losses else []
        )
    return ["train", job.method]


def _own_formula(job: Job) -> str:
    """The formula that a training has of itself."""
    if job.spec.takes_planner or not job.spec.has_skill:
        return ""
    return family_of(job.environment).formula(job.environment)


def _environment(environment: EnvironmentSettings) -> list[str]:
    family, name = family_of(environment), short_name(environment)
    base = family.named(name, {})
    words = ["--env", name]
    if family.settings_are_flags:
        for field in dataclasses.fields(environment.settings):
            value = getattr(environment.settings, field.name)
            if value != getattr(base.settings, field.name):
                words += _flag(field.name, value)
    else:
        words += _arguments(environment, base)
    if environment.dynamics:
        words += ["--dynamics", environment.dynamics]
    if observe := getattr(environment.settings, "observe", ""):
        words += ["--observe", observe]
    return words


def _arguments(environment: EnvironmentSettings, base: EnvironmentSettings) -> list[str]:
    own, before = (dict(x.gymnasium().arguments) for x in (environment, base))
    given = [
        f"{name}={json.dumps(value)}"
        for name, value in own.items()
        if name not in before or before[name] != value
    ]
    return ["--env-args", *given] if given else []


def _flag(name: str, value: Any) -> Iterator[str]:
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        yield f"--{flag}" if value else f"--no-{flag}"
        return
    yield f"--{flag}"
    yield from map(str, value) if isinstance(value, tuple | list) else [str(value)]
