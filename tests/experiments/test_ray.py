"""A real Ray cluster of three nodes on this machine, which loses workers, nodes and its driver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from depo.api import make_job
from depo.experiments.stored_sweep import save_sweep
from depo.experiments.sweep import BACK, LOST, PlannedRun, Sweep
from tests.support.arguments import flat

pytestmark = pytest.mark.slow
SMALL = {"size": 3, "hidden": 16, "batch_steps": 64, "checkpoint_every": 1}
STEPS = 64 * 60
LONGEST = 1_800
"""Seconds on the clock for one test: what waits for a worker would wait for ever."""
BUSY = {"worker_register_timeout_seconds": 600, "health_check_failure_threshold": 20}
"""Ray takes what a busy machine has not begun in a minute, or answered a few times, for dead."""
AGAIN = """
import sys
from pathlib import Path
import ray
from depo.experiments.stored_sweep import load_sweep
ray.init(address=sys.argv[1], log_to_driver=False)
load_sweep(Path(sys.argv[2])).execute(workers=0, engine="ray", watch=lambda *_: None)
"""


def sweep_of(folder: Path, seeds: tuple[int, ...] = (0, 1)) -> Sweep:
    jobs = {f"seed-{s}": make_job("bco", seed=s, steps=STEPS, **flat(**SMALL)) for s in seeds}
    return Sweep(folder, {label: PlannedRun(job) for label, job in jobs.items()}, plainly=True)


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> Sweep:
    """The same runs by the local engine."""
    sweep = sweep_of(tmp_path_factory.mktemp("local"))
    sweep.execute(workers=2, watch=lambda *_: None)
    return sweep


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head that does no work, and two nodes that do, for a limited time."""
    ray = pytest.importorskip("ray", reason="Ray is an extra: pip install 'depo[ray]' to test it")
    from ray.cluster_utils import Cluster

    small = {"include_dashboard": False, "object_store_memory": 80 * 2**20}
    head = {"num_cpus": 0, "_system_config": BUSY, **small}
    before = signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LONGEST)
    found = Cluster(initialize_head=True, head_node_args=head)
    try:
        found.workers = [
            found.add_node(num_cpus=1, object_store_memory=80 * 2**20) for _ in range(2)
        ]
        yield found
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        ray.shutdown()
        found.shutdown()


def _too_long(*_: object) -> None:
    raise TimeoutError(f"the cluster took more than {LONGEST} s")


def holder(run: Path) -> int:
    """The process that works on a run, by the lock it holds; 0: none."""
    inode = str((run / ".lock").stat().st_ino) if (run / ".lock").exists() else "none"
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if words[1] == "FLOCK" and words[3] == "WRITE" and words[5].endswith(f":{inode}"):
            return int(words[4])
    return 0


def has_begun(sweep: Sweep) -> bool:
    """Whether any run is on its way, whichever of them got a worker first."""
    files = [sweep.path(label) / "timing.csv" for label in sweep.plan]
    return any(file.exists() and file.read_text().count("\n") > 5 for file in files)


def assert_equal(one: Sweep, other: Sweep) -> None:
    assert one.left() == other.left() == []
    for label in one.plan:
        both = [(sweep.path(label), sweep.runs()[label]) for sweep in (one, other)]
        assert len({(path / "metrics.csv").read_bytes() for path, _ in both}) == 1
        assert len({run.latest()[0].read_bytes() for _, run in both}) == 1


class Fate:
    """What happens to a cluster, one thing after the other, each at some steps of a run."""

    def __init__(self, *things: tuple[int, Callable[[], None]]):
        self.left = list(things)

    def __call__(self, label: str, done: int, total: int) -> None:
        if self.left and label == "seed-0" and done >= self.left[0][0]:
            self.left.pop(0)[1]()


def test_a_worker_may_die(local: Sweep, cluster: Any, tmp_path: Path) -> None:
    import ray

    ray.init(address=cluster.address, log_to_driver=False)
    sweep = sweep_of(tmp_path / "ray")
    fate = Fate((64 * 5, lambda: os.kill(holder(sweep.path("seed-0")), signal.SIGKILL)))
    sweep.execute(workers=0, engine="ray", watch=fate)
    assert not fate.left
    assert_equal(sweep, local)


def test_every_node_may_die(local: Sweep, cluster: Any, tmp_path: Path) -> None:
    """The run goes on with the other node; without any the driver says so, and goes on when one is
    back."""
    import ray

    ray.init(address=cluster.address, log_to_driver=False)
    sweep, said = sweep_of(tmp_path / "ray", seeds=(0,)), []

    def say(text: str) -> None:
        said.append(text)
        if text == LOST:
            cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)

    def lose_one() -> None:
        cluster.remove_node(cluster.workers.pop(), False)

    fate = Fate((64 * 5, lose_one), (64 * 15, lose_one))
    sweep.execute(workers=0, engine="ray", watch=fate, say=say)
    assert not fate.left
    assert said == [LOST, BACK]
    assert_equal(sweep, local)


def test_the_driver_may_die(local: Sweep, cluster: Any, tmp_path: Path) -> None:
    import ray

    sweep = sweep_of(tmp_path / "ray")
    save_sweep(sweep)
    driver = subprocess.Popen([sys.executable, "-c", AGAIN, cluster.address, str(sweep.folder)])
    end = time.monotonic() + LONGEST / 2
    while time.monotonic() < end and driver.poll() is None and not has_begun(sweep):
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    assert sweep.left() == ["seed-0", "seed-1"]
    ray.init(address=cluster.address, log_to_driver=False)
    sweep.execute(workers=0, engine="ray", watch=lambda *_: None)
    assert_equal(sweep, local)
