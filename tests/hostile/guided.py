"""The same readers, with damage that follows coverage: ``python -m tests.hostile.guided KIND``.

Needs atheris (``pip install -e '.[fuzz]'``; Linux, CPython 3.11 to 3.13). What crashes is kept as
``crash-…``; flags of libFuzzer come after the kind (``-max_total_time=60``).
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Put what atheris makes up in place of one of the files of a kind's example."""
    import atheris

    with atheris.instrument_imports(include=["depo", "msgspec"]):
        from depo.core.errors import DepoError
        from tests.hostile.kinds import KINDS
    kind = KINDS[sys.argv.pop(1)]
    with tempfile.TemporaryDirectory(prefix="depo-guided-") as folder:
        example, copy = Path(folder) / "example", Path(folder) / "copy"
        example.mkdir()
        kind.make(example)
        kind.read(example)
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        files = kind.files(example)
        for number, file in enumerate(files):
            (corpus / str(number)).write_bytes(bytes([number]) + file.read_bytes())

        def one(data: bytes) -> None:
            chosen = files[data[0] % len(files)] if data else files[0]
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(example, copy)
            (copy / chosen.relative_to(example)).write_bytes(data[1:])
            with contextlib.suppress(DepoError):
                kind.read(copy)

        atheris.Setup([*sys.argv, str(corpus), "-rss_limit_mb=4096", "-timeout=10"], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
