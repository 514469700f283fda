"""``depo completion bash|zsh|fish``: a script for the shell, with what this installation knows."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

import tyro

from depo.cli.flags import as_flag
from depo.cli.training_flags import CommonFlags, VariantFlags
from depo.core.errors import DepoError, unknown

HELP = """depo completion SHELL: print a completion script

  bash   depo completion bash > ~/.local/share/bash-completion/completions/depo
  zsh    depo completion zsh > ~/.zfunc/_depo        (with ~/.zfunc in $fpath before compinit)
  fish   depo completion fish > ~/.config/fish/completions/depo.fish
"""
SHELLS = ("bash", "zsh", "fish")
TRAINING = ("train", "cotrain", "transfer", "settings")
"""Commands whose flags are the common ones and every setting."""
MORE = {"demos": ("demos_check", "demos_import", "traffic")}
"""Modules beside a command's own that have flags of it."""


@dataclass(frozen=True)
class Words:
    """What may follow a command: words at the second place, flags after, values of flags."""

    second: tuple[str, ...]
    flags: tuple[str, ...]


def run(argv: list[str]) -> int:
    """Print the script."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    if argv[0] not in SHELLS:
        raise unknown("shell", argv[0], SHELLS)
    if argv[1:]:
        raise DepoError(f"'{argv[1]}' is too much: depo completion {argv[0]} takes nothing more")
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[argv[0]]
    print(script(every_command(), values_of_flags()), end="")
    return 0


def every_command() -> dict[str, Words]:
    """The words of every command."""
    from depo.cli.main import COMMANDS

    return {name: _words(name, module) for name, (module, _) in COMMANDS.items()}


def values_of_flags() -> dict[str, tuple[str, ...]]:
    """What may follow a flag, where that is a few words."""
    from depo.environments.dynamics import VARIANTS
    from depo.environments.family import families
    from depo.methods.presets import known_presets
    from depo.methods.registry import methods

    named = tuple(sorted(name for family in families().values() for name in family.names))
    own = [i for spec in methods().values() for i in spec.implementations.values()]
    presets = tuple(sorted({preset for each in own for preset in known_presets(each)}))
    words = {"--env": named, "--dynamics": tuple(VARIANTS), "--preset": presets}
    return {**words, **dict(_choices(CommonFlags))}


def _words(name: str, module: str) -> Words:
    from depo.methods.registry import methods, trainable
    from depo.methods.settings_tree import every_name

    if name in TRAINING:
        own = {
            f
            for spec in methods().values()
            for i in spec.implementations.values()
            for f in every_name(i.settings)
        }
        own |= {
            f for kind in (CommonFlags, VariantFlags, *_of_environments()) for f in _flags(kind)
        }
        known = () if name == "transfer" else tuple(trainable())
        return Words(known, _as_flags(own))
    names = [f"depo.cli.{x}" for x in (module, *MORE.get(name, ()))]
    kinds = [x for n in names for x in vars(import_module(n)).values() if _is_flags(x, n)]
    own = {flag for kind in kinds for flag in _flags(kind)}
    return Words(_second(name), _as_flags(own))


def _of_environments() -> Iterator[Any]:
    """What the flags of every family's environments are fields of."""
    from depo.environments.family import EnvironmentSettings, families

    for family in families().values():
        yield type(family.flags(EnvironmentSettings(family.name)))


def _second(name: str) -> tuple[str, ...]:
    """The words that a command is followed by, other than files."""
    if name == "completion":
        return SHELLS
    if name == "reproduce":
        from depo.experiments.registry import EXPERIMENTS

        return tuple(EXPERIMENTS)
    if name == "demos":
        from depo.cli.demos import actions

        return tuple(actions())
    return ()


def _is_flags(found: Any, module: str) -> bool:
    is_its_own = getattr(found, "__module__", "") == module
    return dataclasses.is_dataclass(found) and is_its_own and found is not Words


def _flags(kind: Any) -> Iterator[str]:
    """Names of fields that are flags, those of its parts too."""
    hints, plain = get_type_hints(kind, include_extras=True), get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if dataclasses.is_dataclass(plain[field.name]):
            yield from _flags(plain[field.name])
        elif tyro.conf.Positional not in getattr(hints[field.name], "__metadata__", ()):
            yield field.name


def _choices(kind: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is Literal:
            yield as_flag(name), tuple(map(str, get_args(hint)))


def _as_flags(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(map(as_flag, names)))


def _cases(commands: Mapping[str, Words], values: Mapping[str, tuple[str, ...]]) -> str:
    """Shell code, which bash and zsh both understand, that sets ``found`` from ``command``,
    ``before`` (the word before) and ``place`` (the number of the word, from 1)."""
    lines = ['  if [ "$place" -eq 1 ]; then', f"    found={_quoted(commands)}", "  else"]
    lines += ['    case "$command" in']
    for name, words in commands.items():
        both = f"found={_quoted(words.flags)}"
        if words.second:
            both = f'if [ "$place" -eq 2 ]; then found={_quoted(words.second)}; else {both}; fi'
        lines.append(f"      {name}) {both} ;;")
    lines += ["    esac", '    case "$before" in']
    lines += [f"      {flag}) found={_quoted(known)} ;;" for flag, known in values.items()]
    return "\n".join([*lines, "    esac", "  fi"])


def _quoted(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def _bash(commands: Mapping[str, Words], values: Mapping[str, tuple[str, ...]]) -> str:
    return f"""\
# bash completion for depo: made by 'depo completion bash'
_depo() {{
  local place=$COMP_CWORD command=${{COMP_WORDS[1]}} found=""
  local now=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
{_cases(commands, values)}
  COMPREPLY=($(compgen -W "$found" -- "$now"))
}}
complete -o default -F _depo depo
"""


def _zsh(commands: Mapping[str, Words], values: Mapping[str, tuple[str, ...]]) -> str:
    return f"""\
#compdef depo
# zsh completion for depo: made by 'depo completion zsh'
_depo() {{
  local place=$((CURRENT - 1)) command=${{words[2]}} before=${{words[CURRENT-1]}} found=""
{_cases(commands, values)}
  compadd -- ${{=found}}
  _files
}}
_depo "$@"
"""


def _fish(commands: Mapping[str, Words], values: Mapping[str, tuple[str, ...]]) -> str:
    from depo.cli.main import COMMANDS

    lines = ["# fish completion for depo: made by 'depo completion fish'"]
    for name, (_, summary) in COMMANDS.items():
        lines.append(
            f"complete -c depo -n __fish_use_subcommand -f -a {name} -d {_fish_text(summary)}"
        )
    for name, words in commands.items():
        when = f"-n '__fish_seen_subcommand_from {name}'"
        if words.second:
            lines.append(f"complete -c depo {when} -a {_fish_text(' '.join(words.second))}")
        for flag in words.flags:
            known = values.get(flag, ())
            more = f" -x -a {_fish_text(' '.join(known))}" if known else ""
            lines.append(f"complete -c depo {when} -l {flag[2:]}{more}")
    return "\n".join(lines) + "\n"


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
