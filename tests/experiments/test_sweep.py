"""Many runs, on several engines."""

from __future__ import annotations

import contextlib
import errno
import sys
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import pytest

from depo.api import make_job
from depo.core.errors import DepoError
from depo.experiments import engines
from depo.experiments import sweep as sweep_module
from depo.experiments.sweep import PlannedRun, Sweep
from tests.support.arguments import flat

SMALL = {"size": 3, "hidden": 32, "batch_steps": 64}


@pytest.mark.slow
def test_ray_runs_the_same_jobs(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is an extra: pip install 'depo[ray]' to test it")
    sweep = Sweep(tmp_path, {"ppo": PlannedRun(make_job("ppo", steps=128, **flat(**SMALL)))})
    seen: dict[str, int] = {}
    sweep.execute(
        workers=1, engine="ray", watch=lambda label, steps, _: seen.__setitem__(label, steps)
    )
    assert seen == {"ppo": 128}
    assert sweep.is_finished("ppo")


def test_a_failing_run_is_named(tmp_path: Path) -> None:
    broken = PlannedRun(make_job("transfer", planner=tmp_path / "nowhere", **flat(**SMALL)))
    sweep = Sweep(tmp_path, {"lost": broken})
    with pytest.raises(DepoError, match="run 'lost'"):
        sweep.execute(workers=1, watch=lambda *_: None)


def test_processes_that_cannot_talk_are_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose /dev/shm is read-only, or not there."""

    def no_semaphore(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", no_semaphore)
    sweep = Sweep(tmp_path, {"ppo": PlannedRun(make_job("ppo", **flat(**SMALL)))})
    with pytest.raises(DepoError, match=r"Read-only file system.*/dev/shm.*leave --workers out"):
        sweep.execute(workers=1, watch=lambda *_: None)


class LostError(Exception):
    """A worker died."""


class FailedError(LostError):
    """A worker's call failed, for a reason."""

    def __init__(self, cause: Exception):
        super().__init__("a long\ntraceback")
        self.cause = cause


class GivenUpError(LostError):
    """No worker has begun in Ray's time."""


class Cluster:
    """Ray, as far as a sweep knows it: its machines come and go."""

    def __init__(self, cores: list[float], error: Exception | None = None):
        self.cores, self.error = cores, error
        self.exceptions = SimpleNamespace(
            RayError=LostError, RayTaskError=FailedError, RaySystemError=GivenUpError
        )
        self.waiting: list[Future] = []
        self.options: dict[str, object] = {}

    def is_initialized(self) -> bool:
        return True

    def shutdown(self) -> None:
        self.cores = []

    def remote(self, **options):
        self.options = options
        self.waiting.append(Future())
        call = SimpleNamespace(future=lambda: self.waiting[0])
        return lambda _: SimpleNamespace(remote=lambda *_: call)

    def cluster_resources(self) -> dict[str, float]:
        if not self.cores:
            raise ConnectionError("no head")
        now = self.cores.pop(0)
        if len(self.cores) == 1:
            (
                self.waiting[0].set_exception(self.error)
                if self.error
                else self.waiting[0].set_result(None)
            )
        return {"CPU": now} if now else {}


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What a sweep says over a cluster that has these cores, one look after the other."""

    def execute(*cores: float, error: Exception | None = None) -> list[str]:
        cluster = Cluster(list(cores), error)
        monkeypatch.setitem(sys.modules, "ray", cluster)
        monkeypatch.setattr(sweep_module, "POLL", 0.0)
        heard: list[str] = []
        sweep = Sweep(tmp_path, {"ppo": PlannedRun(make_job("ppo", steps=128, **flat(**SMALL)))})
        sweep.execute(workers=1, engine="ray", watch=lambda *_: None, say=heard.append)
        assert cluster.options["max_retries"] == engines.LOSSES
        return heard

    return execute


def test_a_driver_says_that_all_workers_are_lost_and_goes_on_when_one_is_back(said) -> None:
    assert said(2.0, 2.0, 1.0) == []
    assert said(2.0, 0.0, 0.0, 0.0, 4.0, 1.0) == [sweep_module.LOST, sweep_module.BACK]


class BusyCluster(Cluster):
    """Its machines have no time: what is given is given up, for so many times."""

    def __init__(self, times: int):
        super().__init__([])
        self.times, self.given = times, 0

    def remote(self, **options):
        return lambda _: SimpleNamespace(remote=lambda *_: SimpleNamespace(future=self._future))

    def _future(self) -> Future:
        self.given += 1
        found: Future = Future()
        if self.given <= self.times:
            found.set_exception(GivenUpError("Failed to startup worker"))
        else:
            found.set_result(None)
        return found


@pytest.mark.parametrize("times", [2, engines.LOSSES + 1])
def test_a_run_that_no_worker_has_begun_is_given_again(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = BusyCluster(times)
    monkeypatch.setitem(sys.modules, "ray", cluster)
    sweep = Sweep(tmp_path, {"ppo": PlannedRun(make_job("ppo", steps=128, **flat(**SMALL)))})
    refused = pytest.raises(DepoError, match=r"'ppo': Ray gave it up 11 times \(Failed to startup")
    with refused if times > engines.LOSSES else contextlib.nullcontext():
        sweep.execute(workers=1, engine="ray", watch=lambda *_: None)
    assert cluster.given == min(times, engines.LOSSES) + 1


def test_a_cluster_that_is_gone_gets_a_sentence(said) -> None:
    with pytest.raises(DepoError, match=r"Ray cluster does not answer \(ConnectionError: no head"):
        said()


def test_what_a_worker_says_is_said_and_that_it_was_lost(said) -> None:
    with pytest.raises(DepoError, match=r"^run 'ppo': its disk is full$"):
        said(2.0, 1.0, error=FailedError(DepoError("its disk is full")))
    with pytest.raises(DepoError, match=r"run 'ppo': its worker was lost 11 times \(LostError"):
        said(2.0, 1.0, error=LostError())
    with pytest.raises(FailedError, match="traceback"):  # a mistake of ours is not hidden
        said(2.0, 1.0, error=FailedError(KeyError("x")))
