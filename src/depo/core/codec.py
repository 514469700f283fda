"""Plain data (JSON, TOML) to frozen dataclasses and back, by msgspec; errors are our sentences.

A dataclass is the description of a file: its annotations say what is allowed. Numbers are finite,
true is no number, and a field nobody knows is refused with the nearest one that is known.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Lane:
...     width: float
...     ends: tuple[int, int] = (0, 100)
>>> decode(Lane, {"width": 3, "ends": [10, 20]}, "road.toml")
Lane(width=3.0, ends=(10, 20))
>>> encode(Lane(3.5))
{'width': 3.5, 'ends': [0, 100]}
>>> decode(Lane, {"width": "wide"}, "road.toml")
Traceback (most recent call last):
depo.core.errors.DepoError: road.toml: width 'wide' is not a finite number
>>> decode(Lane, {"with": 3.5}, "a.toml")
Traceback (most recent call last):
depo.core.errors.DepoError: a.toml: unknown field 'with': did you mean 'width'? (known: ends, width)
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import numbers
import re
import reprlib
from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, TypeVar, overload

import msgspec

from depo.core.annotations import (
    TABLE,
    annotations_of,
    below,
    dataclasses_in,
    expected,
    holds_dataclass,
    options,
    words,
)
from depo.core.errors import DepoError, readable, unknown
from depo.core.limits import check_depth

Value = TypeVar("Value")
Positive = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
"""A size, or how many there are of something."""
Natural = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A place in a list or a file, or how far something is."""

_TROUBLE = re.compile(r"(?P<what>.*?)(?: - at (?:`key` in )?`\$(?P<path>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MISSING = re.compile(r"Object missing required field `(\w+)`")
_OF_A_VALUE = ("Expected", "Invalid enum value", "Number out of range", "Integer value out")
"""How msgspec begins when a value's type or range is wrong; all else is a dataclass's own word."""


@overload
def decode(
    kind: type[Value], data: object, where: str, *, strict: bool = True
) -> Value: ...  # a dataclass


@overload
def decode(kind: Any, data: object, where: str, *, strict: bool = True) -> Any: ...  # a union


def decode(kind: Any, data: object, where: str, *, strict: bool = True) -> Any:
    """``data`` as a ``kind``; ``where`` is the file, or whose settings they are.

    A union of dataclasses is told apart by a field that is a Literal in each of them. Fields that
    are not known are refused, or passed over if not ``strict``.
    """
    with said_of(where):
        return _decode(kind, data, strict=strict)


def decode_each(
    kinds: Mapping[str, Any], data: object, where: str, required: Collection[str] = ()
) -> dict[str, Any]:
    """Those fields that ``data`` has, each as its kind: for what is no dataclass, as flat settings.

    >>> decode_each({"rate": float, "size": int}, {"rate": 1}, "bco")
    {'rate': 1.0}
    """
    with said_of(where):
        if not isinstance(data, Mapping):
            raise DepoError(f"{_short(data)} is not {TABLE}: damaged?")
        for name in data:
            if name not in kinds:
                raise unknown("field", str(name), kinds)
        for name in required:
            if name not in data:
                raise _missing(name)
        return {name: _decode(kinds[name], value, name) for name, value in data.items()}


def decode_word(kind: Any, word: str, path: str) -> Any:
    """What a word of a command line says, as its kind.

    >>> decode_word(float, "1e-3", "--rate"), decode_word(int | None, "None", "--seed")
    (0.001, None)
    >>> decode_word(int, "x", "--steps")
    Traceback (most recent call last):
    depo.core.errors.DepoError: --steps 'x' is not a whole number
    """
    value: Any = word
    if word == "None" and type(None) in options(kind):
        return None
    for number in {int, float} & set(options(kind)):
        with contextlib.suppress(ValueError):
            value = number(word)
    return _decode(kind, value, path)


def encode(value: object) -> Any:
    """Plain data: dictionaries, lists, texts, numbers; NumPy's numbers as Python's."""
    try:
        return _plain(msgspec.to_builtins(value, enc_hook=_scalar), lists=True)
    except (TypeError, RecursionError) as error:
        raise DepoError(str(error)) from None


def check_fields(settings: object, whose: str) -> None:
    """Refuse values of a dataclass that are not what its annotations say.

    For ``__post_init__`` of dataclasses that are also made in Python: what such a one holds of
    other dataclasses has been checked already.
    """
    with said_of(whose):
        for name, hint in annotations_of(type(settings)).items():
            if not holds_dataclass(hint):
                _decode(hint, _plain(getattr(settings, name)), name)


@contextlib.contextmanager
def said_of(where: str) -> Iterator[None]:
    """Errors inside say what they are about."""
    try:
        yield
    except DepoError as error:
        raise DepoError(f"{where}: {error}") from None
    except RecursionError:
        raise DepoError(f"{where} is nested too deeply: damaged?") from None


def _decode(kind: Any, data: object, path: str = "", strict: bool = True) -> Any:
    if isinstance(data, Mapping | list | tuple):
        check_depth(data, path or "the value")
    _check_plain(data, path)
    found = _alternative(kind, data)
    if strict:
        _check_known(found, data, path)
    try:
        return msgspec.convert(data, found)
    except msgspec.ValidationError as error:
        raise _sentence(found, data, str(error), path) from None


def _sentence(hint: Any, value: Any, trouble: str, path: str) -> DepoError:
    """What msgspec said, with the field's name, its value and what is expected."""
    match = _TROUBLE.fullmatch(trouble)
    what, steps = (match["what"], match["path"] or "") if match else (trouble, "")
    for step in _STEP.finditer(steps):
        key: Any = step[1] or (int(step[2]) if step[2] else _culprit(hint, value))
        hint, value, path = below(hint, value, key), value[key], _joined(path, key)
    if missing := _MISSING.fullmatch(what):
        return _missing(_joined(path, missing[1]))
    if not what.startswith(_OF_A_VALUE):
        return DepoError(f"{path}: {what}" if path else what)
    if isinstance(value, str) and (known := words(hint)):
        return unknown(path or "value", value, known)
    return DepoError(f"{path} {_short(value)} is not {expected(hint)}".lstrip())


def _missing(path: str) -> DepoError:
    return DepoError(f"'{path}' is missing: add it, or is the file damaged?")


def _alternative(kind: Any, data: Any) -> Any:
    """Of a union of dataclasses, the one whose tag ``data`` has."""
    choices = dataclasses_in(kind)
    if len(choices) < 2:
        return kind
    tags = [{n: words(h) for n, h in annotations_of(c).items() if words(h)} for c in choices]
    tag = next(name for name in tags[0] if all(name in each for each in tags))
    if not isinstance(data, Mapping):
        raise DepoError(f"{_short(data)} is not {TABLE}: damaged?")
    if tag not in data:
        raise _missing(tag)
    for choice, each in zip(choices, tags, strict=True):
        if data[tag] in each[tag]:
            return choice
    raise unknown(tag, str(data[tag]), [word for each in tags for word in each[tag]])


def _check_plain(data: Any, path: str) -> None:
    """Refuse what no file should hold, whatever is expected: NaN, infinity, halves of letters."""
    if _is_plain(data):
        return  # most data are, and paths are dear
    if isinstance(data, float) and not math.isfinite(data):
        raise DepoError(f"{path or 'the value'} {data} is not a finite number")
    if isinstance(data, str) and _SURROGATE.search(data):
        raise DepoError(f"{path or 'the value'} {_short(data)} is not readable text")
    for key, value in _items(data):
        if isinstance(key, str):
            _check_plain(key, path)
        _check_plain(value, _joined(path, key))


def _is_plain(data: Any) -> bool:
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, float) and not math.isfinite(value):
            return False
        if isinstance(value, str) and not value.isascii() and _SURROGATE.search(value):
            return False
        if isinstance(value, Mapping):
            waiting += [key for key in value if isinstance(key, str)]
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
    return True


def _check_known(hint: Any, data: Any, path: str) -> None:
    """Refuse fields that no dataclass has; msgspec passes over them."""
    if not holds_dataclass(hint):
        return
    if isinstance(data, Mapping) and (kinds := dataclasses_in(hint)):
        known = [field.name for kind in kinds for field in dataclasses.fields(kind)]
        for name in data:
            if name not in known:
                raise unknown(f"field of '{path}'" if path else "field", str(name), known)
    for key, value in _items(data):
        if (inner := below(hint, data, key)) is not None:
            _check_known(inner, value, _joined(path, key))


def _items(data: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(data, Mapping):
        yield from data.items()
    elif isinstance(data, list | tuple):
        yield from enumerate(data)


def _culprit(hint: Any, data: Mapping[str, Any]) -> Any:
    """Which key of a mapping has the value that does not fit; msgspec does not say."""
    for key, value in data.items():
        try:
            msgspec.convert({key: value}, hint)
        except msgspec.ValidationError:
            return key
    return next(iter(data))


def _joined(path: str, key: Any) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{readable(str(key))}" if path else readable(str(key))


_SHOWN = reprlib.Repr()
_SHOWN.maxstring = _SHOWN.maxother = 60


def _short(value: object) -> str:
    return _SHOWN.repr(value)


def _scalar(value: object) -> int | float | str:
    if isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{_short(value)} cannot be written: it is no number, text, list or table")


def _plain(value: Any, lists: bool = False) -> Any:
    """NumPy's numbers and texts as Python's, tuples as lists if so wished; all else as it is."""
    if isinstance(value, bool) or type(value) in (int, float, str):
        return value
    if isinstance(value, numbers.Real | str):
        return _scalar(value)
    if isinstance(value, Mapping):
        return {_plain(key): _plain(each, lists) for key, each in value.items()}
    if isinstance(value, list | tuple):
        kind = list if lists else type(value)
        return kind(_plain(each, lists) for each in value)
    return value
