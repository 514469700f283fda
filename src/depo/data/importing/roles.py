"""What columns are for, told by what they are called: episodes and their ends, counters, what is no
part of a state, quaternions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from depo.data.importing.clock import is_time
from depo.data.importing.table import Column

EPISODE = re.compile(
    r"((episode|ep|trial|traj|trajectory|rollout|run|demo|demonstration|sequence|take|recording|session"
    r"|clip|trip|lap|flight|subject|participant|scenario|experiment)(id|index|idx|no|nr|num|number|name)?"
    r"|(vehicle|track|object|agent|animal|person|user|motion|drive|file|log|bag|scene|segment|case)"
    r"(id|index|idx|no|nr|num|number|name))$"
)
"""Columns whose changes begin episodes; names without blanks, underscores and case."""
COARSE = re.compile(r"subject|participant|scenario|experiment|session|user|person|animal|scene|log")
"""Those of them that may hold several."""
ENDS = re.compile(
    r"(done|dones|terminal|terminals|terminated|truncated|terminations?|truncations?|timeouts?"
    r"|(is)?last|islaststep|isterminal|isdone|isend|episodeends?|endofepisode|endepisode|episodedone)$"
)
"""Columns that mark the last row of an episode."""
STARTS = re.compile(
    r"((is)?first|isfirststep|isstart|isreset|episodestarts?|episodebegins?|startofepisode"
    r"|startepisode|newepisode|isnewepisode|reset|restart)$"
)
"""Columns that mark the first."""
COUNTER = re.compile(
    r"(index|idx|(sub)?frame|row|sample|step|timestep|(sub)?frames|steps)(id|index|idx|no|nr|num|number|count)?$"
    r"|seq$|column1$|unnamed:\d+(level\d+)?(\.\d+)?$|indexlevel\d+$"
)
"""Columns that count rows."""
NO_STATE = re.compile(
    r"((actions?|acts?|rewards?|returns?|infos?|discounts?)([._/ \[]?\d+\]?)?$)"
    r"|((actions?|rewards?|infos?)[._/ ])|(^|.*[._/ ])(cmd|command|ctrl)s?([._/ \[]|$)"
)
"""What a dataset holds beside states."""
NEXT = re.compile(r"next[_./ ]?")
QUATERNION = re.compile(r"^(?P<prefix>.*?)[\[(]?(?P<axis>[wxyz])[\])]?$")
NUMBERED = re.compile(
    r"^(?P<prefix>(?:.*(?:quat|orient|rotation).*?|(?:.*[^a-z])?[qe]))[._\[]?(?P<axis>[0-4])\]?$"
)
GUESSED = "guessed "
"""Begins the word of a quaternion that only names tell."""


def bare(header: str) -> str:
    """The last part of a name, without case, blanks, underscores and ``next``.

    >>> bare("/joints/header.seq"), bare("Is_Last"), bare("next.done"), bare("Unnamed: 0.1")
    ('seq', 'islast', 'done', 'unnamed:0.1')
    """
    name = re.sub(r"[\s_%-]+", "", header.lower())
    return name if name.startswith("unnamed") else re.split(r"[./]", name)[-1]


def episode_headers(headers: Sequence[str]) -> list[str]:
    """The columns that tell episodes apart, the finest first: a trial of a subject's is told by
    both.

    >>> episode_headers(["t", "Run_ID", "x"]), episode_headers(["subject", "running", "trial"])
    (['Run_ID'], ['trial', 'subject'])
    """
    found = [h for h in headers if EPISODE.match(bare(h))]
    return sorted(found, key=lambda h: bool(COARSE.match(bare(h))))


def is_counter(header: str) -> bool:
    """Whether a column counts rows.

    >>> [is_counter(h) for h in ("frame_index", "Unnamed: 0", "__index_level_0__", "step height")]
    [True, True, True, False]
    """
    return bool(COUNTER.match(bare(header)))


def no_states(headers: Sequence[str]) -> list[str]:
    """Columns that are no part of a state: actions, rewards, marks, stamps, the same a step later.

    >>> no_states(["obs_0", "next_obs_0", "action_0", "reward", "done", "reaction"])
    ['next_obs_0', 'action_0', 'reward', 'done']
    """
    known = set(headers)
    return [
        header
        for header in headers
        if NO_STATE.match(low := NEXT.sub("", header.lower(), 1))
        or ENDS.match(bare(header))
        or STARTS.match(bare(header))
        or is_time(header)
        or (low != header.lower() and NEXT.sub("", header, 1) in known)
    ]


def with_quaternions(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Columns of which four neighbours are told by their names to be one quaternion.

    >>> found = with_quaternions([Column.of(f"pose.orientation.{axis}") for axis in "xyzw"])
    >>> len({column.quaternion for column in found}), found[0].quaternion != ""
    (1, True)
    """
    found, names = list(columns), {column.name.lower() for column in columns}
    for pattern in (QUATERNION, NUMBERED):
        matches = [pattern.match(column.name.lower()) for column in columns]
        for i in range(len(found) - 3):
            four = [m for m in matches[i : i + 4] if m is not None]
            if len(four) < 4 or any(
                column.quaternion or column.unit for column in found[i : i + 4]
            ):
                continue
            axes = "".join(match["axis"] for match in four)
            if axes.isdigit() and f"{four[3].string[:-1]}{int(axes[3]) + 1}" in names:
                continue  # joints, of which there are more
            if len({match["prefix"] for match in four}) == 1 and _are_axes(axes):
                word = f"{GUESSED}{i}"
                found[i : i + 4] = [replace(c, quaternion=word) for c in found[i : i + 4]]
    return tuple(found)


def _are_axes(axes: str) -> bool:
    return sorted(axes) == sorted("wxyz") or (
        axes.isdigit() and all(int(b) - int(a) == 1 for a, b in pairwise(axes))
    )
