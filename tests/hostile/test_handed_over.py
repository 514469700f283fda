"""What somebody hands over with care: names that want to be code, numbers and texts without end."""

from __future__ import annotations

import ast
import io
import struct
import zipfile
from pathlib import Path

import jax
import numpy as np
import polars as pl
import pytest

import depo
from depo.analysis.report import foreign_curves
from depo.analysis.report.foreign_curves import read_curves
from depo.core.codec import encode
from depo.core.errors import DepoError
from depo.core.files import parse_object, read_toml
from depo.core.imports import distrust
from depo.core.npz import array_shapes
from depo.data.demonstrations import Demonstrations
from depo.data.importing import parquet
from depo.data.importing.plan import ImportSettings
from depo.data.importing.report import FileReport
from depo.data.importing.sources import find_recordings, open_tables
from depo.driving.traffic.table import parse_table
from depo.environments.dynamics import parse_dynamics
from depo.environments.family import EnvironmentSettings
from depo.environments.gymnasium_family import GymnasiumSettings
from depo.environments.recordings import import_for
from depo.export.loop import ExportFormat, run_text
from depo.export.policy_export import Place, place_of
from depo.models.acting import Policy, Space
from depo.models.card import Origin
from depo.models.policy import CategoricalActor
from depo.runs.job import Job

EVIL = 'x"""\nimport os\nos.mkdir("done")\n"""\\'
OTHERS = ("# coding: utf-7\n", "\\N{DIGIT ONE}", "'\"'''\"\"\"", "{0}", "\u202e", "\r\nimport os")
LONG = 200_000


def policy(origin: Origin) -> Policy:
    actor = CategoricalActor(jax.random.key(0), states=5, actions=2, hidden=(4,))
    spaces = {"observations": Space.finite(5), "actions": Space.finite(2)}
    return Policy(actor, **spaces, origin=origin)


@pytest.mark.parametrize("form", ["numpy", "jax", "onnx"])
def test_a_label_is_no_code_of_the_loop(form: ExportFormat) -> None:
    """Whoever exports a stranger's policy is told to try it by running the loop."""

    def statements(label: str) -> list[str]:
        place = Place(label, None, {}, f"{label} cannot be made")
        about = {"environment": encode(place), "observations": {"count": 5}, "remembers": False}
        text = run_text(form, about)
        assert text.isascii()
        return [type(node).__name__ for node in ast.walk(ast.parse(text.encode()))]

    plain = statements("hopper-v5")
    assert all(statements(label) == plain for label in (EVIL, *OTHERS))


def test_names_are_no_lines_of_a_card(tmp_path: Path) -> None:
    texts = {"environment": EVIL, "method": "\x1b[31m# a", "trained_on": "</b>![x](http://y)\n---"}
    origin = Origin(**texts, features=("a\n# b",), scores={"a | b\n": 1.0})
    depo.save_policy(tmp_path / "evil", policy(origin))
    depo.save_policy(tmp_path / "plain", policy(Origin(scores={"a": 1.0})))
    card = (tmp_path / "evil" / "card.md").read_text()
    assert card.replace("\n", "").isprintable()
    assert "<" not in card
    assert "](" not in card
    assert card.count("\n") == (tmp_path / "plain" / "card.md").read_text().count("\n")


def test_names_move_no_cursor_where_demonstrations_are_shown() -> None:
    demos = Demonstrations(np.zeros((3, 1)), np.array([3]), feature_names=("\x1b[31ma\u202e",))
    assert repr(demos).isprintable()


@pytest.mark.parametrize("file", [".evil.xml", "/evil.xml", "~/evil.xml"])
def test_a_file_that_only_a_stranger_names_is_not_opened(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor by an export, which needs no environment and only looks whether it can be made."""
    monkeypatch.setattr("depo.core.imports._allowed", set())
    monkeypatch.setattr("depo.core.imports._strangers", {})
    settings = GymnasiumSettings("CartPole-v1", (("xml_file", file),))
    environment = EnvironmentSettings("gymnasium", settings)
    distrust(Job(environment=environment).wants, "gift")
    with pytest.raises(DepoError, match=rf"gift was not made by you.*xml_file={file}"):
        environment.gymnasium().make()
    place = place_of(policy(Origin(environment="cartpole")), environment)
    assert (place.id, place.arguments) == (None, {})


def directory_of(names: int, file: Path) -> None:
    """An archive that lists one member under very many names."""
    with zipfile.ZipFile(file, "w") as archive:
        data = io.BytesIO()
        np.save(data, np.zeros(1))
        archive.writestr("a0000000.npy", data.getvalue())
    packed = file.read_bytes()
    end = packed.rfind(b"PK\x05\x06")
    start = struct.unpack_from("<I", packed, end + 16)[0]
    entry = packed[start:end]
    listed = b"".join(entry.replace(b"a0000000", b"a%07d" % i) for i in range(names))
    size, place = len(listed), start + len(listed)
    long = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, names, names, size, start)
    where = struct.pack("<4sLQL", b"PK\x06\x07", 0, place, 1)
    tail = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, 2**16 - 1, 2**16 - 1, 2**32 - 1, 2**32 - 1, 0
    )
    file.write_bytes(packed[:start] + listed + long + where + tail)


def test_an_archive_of_very_many_members_is_not_listed(tmp_path: Path) -> None:
    directory_of(80_000, tmp_path / "a.npz")
    for read in (array_shapes, Demonstrations.load):
        with pytest.raises(DepoError, match="lists members in more than"):
            read(tmp_path / "a.npz")


def test_a_number_of_very_many_digits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f"steps = 0x{'f' * 9_000}")
    with pytest.raises(DepoError, match=r"a.toml holds a whole number of some 10,8.. digits"):
        read_toml(tmp_path / "a.toml")
    with pytest.raises(DepoError, match="whole number of some 400 digits"):
        parse_object(f'{{"a": [{"9" * 400}]}}', "a.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("step,return\n" + "1,1\n" * 4_000_000, "read into a table, takes 1.* GiB"),
        ("step,return,seed\n" + "".join(f"1,1,{i}\n" for i in range(2_000)), "2,000 seeds"),
        ("step,return\n1,1\n2,1e308\n", r"row 3: 1e\+308 is too large"),
        ("#{}\nr,l,t\n-1e308,1,1\n", r"-1e\+308 is too large"),
    ],
    ids=["rows", "seeds", "return", "monitor"],
)
def test_curves_without_end_are_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DepoError, match=said):
        read_curves([str(tmp_path / "a.csv")])


def test_curves_of_very_many_runs_are_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not once for each of its columns."""
    passes = []
    parsed = foreign_curves._table
    monkeypatch.setattr(foreign_curves, "_table", lambda *a: passes.append(a) or parsed(*a))
    names, row = ",".join(f"run {i} - return" for i in range(300)), ",".join(["1"] * 300)
    (tmp_path / "a.csv").write_text(f"step,{names}\n1,{row}\n2,{row}\n")
    (curve,) = read_curves([str(tmp_path / "a.csv")])
    assert curve.values.shape == (2, 300)
    assert len(passes) == 2  # the head, and the rows
    (tmp_path / "b.csv").write_text(f"step,{names}\n" + f"1,{row}\n" * 20_000)
    with pytest.raises(DepoError, match=r"read into a table, takes 1\.96 GiB"):
        read_curves([str(tmp_path / "b.csv")])


@pytest.mark.parametrize("name", ["a[1].parquet", "*.parquet", "?1.parquet"])
def test_a_file_whose_name_is_a_pattern_is_that_file(name: str, tmp_path: Path) -> None:
    """polars takes it for all files that it fits, and does not look at this one."""
    columns = {"vehicle": [0] * 9, "frame": [*range(9)], "y": [1.0] * 9, "lane": [0] * 9}
    sizes = {"length": [4.0] * 9, "width": [2.0] * 9}
    secret = pl.DataFrame({"secret": [7.0] * 9})
    for other in ("a1.parquet", "b1.parquet"):
        secret.write_parquet(tmp_path / other)
    own = io.BytesIO()
    pl.DataFrame({"x": [float(i) for i in range(9)], **columns, **sizes}).write_parquet(own)
    (tmp_path / name).write_bytes(own.getvalue())
    assert parquet.describe(tmp_path / name)["columns"][:2] == ["x", "vehicle"]
    (block,) = parquet.blocks(tmp_path / name, ["x"], "", "")
    assert block[:, 0].tolist() == list(range(9))
    rows, _ = parse_table(tmp_path / name, None, lambda share: None)
    assert len(rows) == 9


def test_names_of_files_with_digits_that_are_no_numbers(tmp_path: Path) -> None:
    for name in ("²1.csv", "a²3.csv", "a10.csv", "a9.csv"):
        (tmp_path / name).write_text("x\n1\n2\n")
    found = [each.path.name for each in find_recordings([tmp_path])]
    assert found.index("a9.csv") < found.index("a10.csv")
    assert len(found) == 4


@pytest.mark.parametrize(
    "text",
    [
        f"{'1' * LONG}x,1\n1,2\n2,3\n",
        f"{'_' * LONG}x [s],y\n1,2\n2,3\n",
        f"x y\n1{' ' * LONG}2\n3 4\n1{' ' * LONG}\t2\n",
    ],
    ids=["digits", "underscores", "blanks"],
)
def test_a_cell_without_end_takes_no_time(text: str, tmp_path: Path) -> None:
    """A pattern that divides such a cell in every way took hours."""
    (tmp_path / "a.csv").write_text(text)
    for table in open_tables(find_recordings([tmp_path / "a.csv"])):
        if isinstance(table, DepoError):
            continue
        report = FileReport("a.csv")
        list(table.rows([table.columns[0].header], "", "", report))


@pytest.mark.parametrize("apart", [1e6, 1e300])
def test_what_lies_between_rows_is_not_made_up_without_end(apart: float, tmp_path: Path) -> None:
    rows = "".join(f"{i * apart},{i}\n" for i in range(40))
    (tmp_path / "a.csv").write_text(f"time [s],x\n{rows}")
    wanted = ImportSettings(hz=100.0)
    with pytest.raises(DepoError, match="more than 1,000 would be made up between two"):
        import_for([str(tmp_path / "a.csv")], str(tmp_path / "out.npz"), wanted)


def test_gaps_that_are_allowed_are_not_filled_without_end(tmp_path: Path) -> None:
    times = [*range(60), *(60 + 86_000 * i for i in range(40))]
    rows = "".join(f"{time},0\n" for time in times)
    (tmp_path / "a.csv").write_text(f"time [s],x\n{rows}")
    wanted = ImportSettings(hz=100.0, max_gap=86_400.0)
    with pytest.raises(DepoError, match=r"interpolated up to .* s takes .* GiB in memory"):
        import_for([str(tmp_path / "a.csv")], str(tmp_path / "out.npz"), wanted)
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("text", ["delayed," * 5_000 + "delayed", "mixed," * 40 + "mixed"])
def test_dynamics_on_top_of_one_another_are_few(text: str) -> None:
    with pytest.raises(DepoError, match="on top of one another: give at most 8"):
        parse_dynamics(text)


def test_an_order_names_no_place_of_very_many_digits() -> None:
    with pytest.raises(DepoError, match="an order looks like"):
        parse_dynamics("permuted=" + "9" * 5_000)
