"""What would take all the memory is refused before it is read."""

from __future__ import annotations

import pytest

from depo.core.errors import DepoError
from depo.core.limits import DEEPEST, GIB, VARIABLE, check_depth, check_size, memory, read_limit


def test_a_user_can_raise_the_limit_and_means_it(monkeypatch) -> None:
    bomb = 3 * GIB
    with pytest.raises(DepoError, match="takes 3 GiB in memory, at most 1 GiB is read"):
        check_size(bomb, "a.npz", stored=10**6)
    with pytest.raises(DepoError, match=r"expands from 1,000 to 536,870,912 bytes, more than 200"):
        check_size(GIB // 2, "a.npz", stored=1000)
    monkeypatch.setenv(VARIABLE, "4")
    check_size(bomb, "a.npz", stored=1000)
    assert read_limit() == 4 * GIB


@pytest.mark.parametrize("given", ["much", "-1", "0", "nan", "inf"])
def test_a_limit_is_a_number(monkeypatch, given: str) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(DepoError, match=f"{VARIABLE} '{given}' is not a positive number of GiB"):
        read_limit()


def test_small_things_may_expand_as_they_like() -> None:
    check_size(60 << 20, "zeros.npz", stored=10)


def test_depth_is_bounded_without_recursion() -> None:
    deep: list = []
    for _ in range(DEEPEST - 2):
        deep = [deep]
    check_depth([deep], "a.json")
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(DepoError, match=r"a\.json is nested too deeply"):
        check_depth(deep, "a.json")


def test_the_machine_has_some_memory() -> None:
    assert memory() > GIB // 4
