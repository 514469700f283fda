"""Speed of the off-policy updates: on their own, against the machine's ceiling, against PyTorch.

    python benchmarks/updates.py                               one core, then two
    python benchmarks/updates.py --cores 1 --methods depo --updates 20 --repeats 5
    python benchmarks/updates.py --torch-python X/bin/python   with PyTorch and Stable-Baselines3

Updates have Hopper's shapes (11 state features, 3 action dimensions) and random data; no simulator
and no demonstrations are needed. Each number of cores has its own processes, which may use no
other core. All that is measured takes turns, so that what else the machine does falls on
everything alike.

The ceiling is a chain of float32 matrix products (256³) in the process that updates. A share of it
compares the best bursts with the best chains: by processor time on one core, which other programs
do not lengthen, by the clock on several. Ratios are medians of neighbouring samples and include
the drawing of minibatches; above 1 means that ours is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

METHODS = ("sac", "depo", "depo-agnostic", "depo-supervised", "gaifo", "gaifo-dp", "bco")
MINIBATCH = 256
HERE = Path(__file__).parent
NO_TORCH = """
No PyTorch rows: they need an environment of their own,
    python -m venv X && X/bin/pip install torch==2.13.0 stable-baselines3
and then --torch-python X/bin/python.
"""

Sample = dict[str, float]


class Measured(NamedTuple):
    """Something that is run again and again, and the samples it gave."""

    run: Callable[[], Sample]
    samples: list[Sample]

    def all(self, *names: str) -> list[float]:
        """One number a sample: what is so named, added up."""
        return [sum(sample[name] for name in names) for sample in self.samples]


class Worker:
    """A process on some cores that answers questions, one JSON line each."""

    def __init__(self, python: str, script: str, cores: Sequence[int]):
        threads = {f"{name}_NUM_THREADS": str(len(cores)) for name in ("OMP", "MKL", "OPENBLAS")}
        self._process = subprocess.Popen(
            [python, str(HERE / script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | threads,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        self._script = script

    def ask(self, question: str, **arguments: Any) -> Any:
        """The answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([question, arguments]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self._script} stopped at '{question}': its error is above")
        return json.loads(answer)

    def close(self) -> None:
        """No more questions."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def serve(questions: Mapping[str, Callable[..., Any]]) -> None:
    """A worker's side: answer until there are no more questions."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not look like an answer
    for line in sys.stdin:
        question, arguments = json.loads(line)
        answers.write(json.dumps(questions[question](**arguments)) + "\n")
        answers.flush()


class Row(NamedTuple):
    """One of our methods, ready to run."""

    name: str
    minibatch: int
    facts: dict[str, Any]
    measured: Measured


class Ratio(NamedTuple):
    """Ours and what it is compared with."""

    label: str
    ours: Measured
    theirs: Measured


class Bench:
    """Everything that takes turns on one set of cores."""

    def __init__(self, cores: Sequence[int], updates: int, torch_python: str | None):
        self.cores, self.updates = cores, updates
        self.jax = Worker(sys.executable, "updates_jax.py", cores)
        self.torch = Worker(torch_python, "updates_torch.py", cores) if torch_python else None
        self.turns: list[Measured] = []
        self.megabytes: list[float] = []

    def take(self, worker: Worker, question: str, **arguments: Any) -> Measured:
        """Something more that takes turns."""
        measured = Measured(lambda: worker.ask(question, **arguments), [])
        self.turns.append(measured)
        return measured

    def ours(self, name: str, minibatch: int, dtype: str = "float32", **changes: Any) -> Row:
        """One of our methods, with settings changed from the preset's."""
        label = f"{name}, batch {minibatch}, {dtype} {changes or ''}"
        print(f"compiling {label}", file=sys.stderr)
        facts = self.jax.ask(
            "prepare",
            label=label,
            method=name,
            dtype=dtype,
            changes={"batch_steps": self.updates, "minibatch": minibatch, **changes},
        )
        return Row(name, minibatch, facts, self.take(self.jax, "run", label=label))

    def theirs(self, name: str, row: Row, label: str) -> Iterator[Ratio]:
        """The same update in PyTorch, if that is there."""
        if self.torch is None:
            return
        key, settings = f"{name} {row.minibatch}", row.facts["settings"]
        threads = self.torch.ask(
            "prepare", label=key, name=name, settings=settings, updates=self.updates
        )
        label = f"{label}, {threads} thread{'s' * (threads > 1)}"
        yield Ratio(label, row.measured, self.take(self.torch, "run", label=key))

    def ceiling(self, dtype: str) -> Measured:
        """Chains about as long as a burst, so that both meet the same disturbances."""
        return self.take(self.jax, "products", dtype=dtype, count=16 * self.updates)

    def measure(self, repeats: int) -> None:
        """``repeats`` samples of everything, in turns, after one that warms up."""
        for turn in range(repeats + 1):
            for measured in self.turns:
                sample = measured.run()
                if turn:
                    measured.samples.append(sample)
            self.megabytes.append(self.jax.ask("resident_megabytes"))

    def close(self) -> None:
        """End the processes."""
        self.jax.close()
        if self.torch is not None:
            self.torch.close()


def best_rate(gflop: float, measured: Measured, cores: int) -> float:
    """GFLOP a second at best, by the time that other programs lengthen least."""
    return gflop / min(measured.all("cpu" if cores == 1 else "wall"))


def print_ours(rows: Sequence[Row], ceiling: float, cores: int, updates: int) -> None:
    print(
        f"\n{'method':16} {'batch':>5} {'updates/s':>10} {'CPU ms':>7} {'GFLOP':>6} "
        f"{'of ceiling':>10} {'drawing':>8} {'compile s':>10} {'cached s':>9}"
    )
    for name, minibatch, facts, measured in rows:
        wall, cpu = median(measured.all("wall")), min(measured.all("cpu"))
        share = best_rate(facts["gflop"] * updates, measured, cores) / ceiling
        drawing = median(measured.all("draw_wall")) / wall
        print(
            f"{name:16} {minibatch:5} {updates / wall:10,.0f} {cpu / updates * 1e3:7.2f} "
            f"{facts['gflop']:6.2f} {share:10.0%} {drawing:8.1%} "
            f"{facts['cold']:10.1f} {facts['cached']:9.1f}"
        )


def print_ratio(ratio: Ratio, updates: int) -> None:
    label, ours, theirs = ratio
    times = []
    for clock in ("wall", "cpu"):
        names = (clock, f"draw_{clock}")
        times.append((ours.all(*names), theirs.all(*names)))
    (wall, other), _ = times
    by_clock, by_cpu = (
        median(b / a for a, b in zip(mine, others, strict=True)) for mine, others in times
    )
    print(
        f"{label:52} {median(wall) / updates * 1e3:8.2f} {median(other) / updates * 1e3:8.2f} "
        f"{by_clock:7.2f} {by_cpu:7.2f}"
    )


def line_up(bench: Bench, methods: Sequence[str]) -> tuple[list[Row], list[Ratio]]:
    """What is measured; what is compared stands side by side."""
    rows: list[Row] = []
    ratios: list[Ratio] = []
    for name in methods:
        for minibatch in sorted({MINIBATCH, bench.jax.ask("preset_minibatch", method=name)}):
            rows.append(bench.ours(name, minibatch))
            ratios.extend(comparisons(bench, rows[-1]))
    return rows, ratios


def comparisons(bench: Bench, row: Row) -> Iterator[Ratio]:
    """SAC with PyTorch and Stable-Baselines3, DePO with PyTorch and in bfloat16."""
    name, minibatch, label = row.name, row.minibatch, f"{row.name}, batch {row.minibatch}: "
    if name in ("sac", "depo"):
        yield from bench.theirs(name, row, label + "eager PyTorch")
    if name == "sac" and bench.torch is not None:
        plain = bench.ours(name, minibatch, critic_norm=False, average=0.0)
        yield from bench.theirs("stable-baselines3", plain, label + "Stable-Baselines3 †")
    if name == "depo" and minibatch == MINIBATCH:
        half = bench.ours(name, minibatch, dtype="bfloat16")
        yield Ratio(label + "ours with bfloat16 products", row.measured, half.measured)


def report(cores: Sequence[int], options: argparse.Namespace) -> None:
    bench, count = Bench(cores, options.updates, options.torch_python), len(cores)
    try:
        ceilings = [bench.ceiling("float32"), bench.ceiling("bfloat16")]
        rows, ratios = line_up(bench, options.methods)
        bench.measure(options.repeats)
    finally:
        bench.close()
    gflop = 2 * 256**3 * 16 * options.updates / 1e9
    peak, half = (best_rate(gflop, measured, count) for measured in ceilings)
    print(f"\n{count} core{'s' * (count > 1)}")
    print(f"matrix products: {peak:.0f} GFLOP/s float32, {half:.0f} bfloat16 ({half / peak:.2f}×)")
    print_ours(rows, peak, count, options.updates)
    first, half_time, last = (bench.megabytes[i] for i in (0, len(bench.megabytes) // 2, -1))
    print(f"resident memory: {first:.0f} MB, {half_time:.0f} at half time, {last:.0f} at the end")
    if ratios:
        print(f"\n{'ours against':52} {'ours ms':>8} {'other ms':>8} {'ratio':>7} {'by CPU':>7}")
    for ratio in ratios:
        print_ratio(ratio, options.updates)
    if bench.torch is not None:
        print("† without layer norm in the critics and without an averaged policy, as there")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, metavar="NAME")
    parser.add_argument("--updates", type=int, default=50, help="gradient steps in one burst")
    parser.add_argument("--repeats", type=int, default=20, help="bursts measured of each kind")
    parser.add_argument("--torch-python", help="a Python with PyTorch and Stable-Baselines3")
    options = parser.parse_args()
    available = sorted(os.sched_getaffinity(0))
    for count in options.cores:
        if count > len(available):
            print(f"{count} cores: this process may use {len(available)} only")
            continue
        report(available[:count], options)
    if not options.torch_python:
        print(NO_TORCH, end="")


if __name__ == "__main__":
    main()
