"""Others' parsers at arm's length: a function in a process of its own, with limits.

HDF5 and Parquet are read by large libraries in C++ and Rust. A damaged file can make them take all
memory, never end, or crash; then only the child is lost, and the user reads a sentence.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError, readable
from depo.core.limits import GIB, VARIABLE, in_gib, read_limit

TIME = "DEPO_READ_SECONDS"
"""The environment variable that says how long such a file may take (seconds of processor time)."""
SECONDS, BYTES_PER_SECOND = 6, 1 << 20
"""Unless the user says otherwise: for any file, and more for a large one."""
COPIES = 3
"""Times the limit for one file that a parser may take: it holds what is read, and what comes of
it."""
WAITING = 10
"""Times the processor time that may pass on the clock, on a machine that others use too."""
ASKED, OUT = "asked.json", "out"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")


@contextlib.contextmanager
def in_child(
    function: str, arguments: Mapping[str, Any], what: str, size: int
) -> Iterator[tuple[Path, Any]]:
    """Call ``module:function`` with plain arguments and a file ``out`` to write, in a child.

    For the block: that file, and what the function returned. ``what`` is read, of ``size`` bytes.
    """
    seconds = _seconds(size)
    with tempfile.TemporaryDirectory(prefix="depo-") as folder:
        asked = Path(folder) / ASKED
        out = Path(folder) / OUT
        memory = COPIES * read_limit()
        order = {"function": function, "arguments": {**arguments, "out": str(out)}}
        asked.write_text(json.dumps(order | {"seconds": seconds, "memory": memory}), "utf-8")
        code = _run(asked, WAITING * seconds)
        answer = _answer(asked)
        if answer is None:
            raise DepoError(f"{what} cannot be read: {_reason(code, seconds, memory)}")
        if "error" in answer:
            raise DepoError(answer["error"])
        yield out, answer["returned"]


def _run(asked: Path, seconds: float) -> int | None:
    """How the child ended; None: it had to be stopped."""
    environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
    # -P: no module of the current folder, which may be a stranger's, in place of a real one
    command = [sys.executable, "-P", "-m", "depo.core.child", str(asked)]
    silent = subprocess.DEVNULL
    with subprocess.Popen(
        command, env=environment, stdin=silent, stdout=silent, stderr=silent
    ) as child:
        try:
            return child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            child.kill()  # also when the user stops waiting


def _answer(asked: Path) -> Any:
    try:
        return json.loads(asked.with_suffix(".answer").read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _reason(code: int | None, seconds: float, memory: int) -> str:
    if code is None or -code in (signal.SIGXCPU, signal.SIGKILL):
        return (
            f"it takes more than {seconds:.0f} s: damaged? (if you trust the file, set {TIME} to "
            "more seconds)"
        )
    ended = f"signal {-code}" if code < 0 else f"code {code}"
    return (
        f"its parser ended with {ended}, perhaps for want of more than {in_gib(memory)}: damaged? "
        f"(if you trust the file, set {VARIABLE} to more GiB)"
    )


def _seconds(size: int) -> float:
    given = os.environ.get(TIME, "")
    try:
        seconds = float(given) if given else SECONDS + size / BYTES_PER_SECOND
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise DepoError(f"{TIME} '{given}' is not a positive number of seconds")
    return seconds


def _limited(seconds: float, memory: int) -> None:
    """Bound what this process may take from here on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime + seconds)
    mapped = _mapped()
    limits = {
        resource.RLIMIT_CPU: until,
        resource.RLIMIT_AS: mapped + memory,
        resource.RLIMIT_CORE: 0,
    }
    for limit, value in limits.items():
        most = resource.getrlimit(limit)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        with contextlib.suppress(ValueError, OSError):  # a system without this limit
            resource.setrlimit(limit, (value, most))


def _mapped() -> int:
    """Bytes of address space this process has."""
    try:
        pages = int(Path("/proc/self/statm").read_text("utf-8").split()[0])
    except (OSError, ValueError, IndexError):
        return 2 * GIB
    return pages * resource.getpagesize()


def _serve(asked: Path) -> None:
    """Do what a file asks for, within its limits, and answer beside it."""
    order = json.loads(asked.read_text("utf-8"))
    module, _, name = order["function"].partition(":")
    function = getattr(importlib.import_module(module), name)
    _limited(order["seconds"], order["memory"])
    try:
        answer = {"returned": function(**order["arguments"])}
    except DepoError as error:
        answer = {"error": str(error)}
    except MemoryError:
        sys.exit(1)
    except BaseException as error:  # a parser's own kinds, and panics that are no Exception
        said = readable(f"{type(error).__name__}: {error}")
        answer = {"error": f"{order['arguments'].get('what', 'the file')} cannot be read: {said}"}
    asked.with_suffix(".answer").write_text(json.dumps(answer), "utf-8")


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
