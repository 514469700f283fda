"""What a file is, by its first bytes: a format that is read, or one that is not and what to do."""

from __future__ import annotations

import re

from depo.core.errors import DepoError, readable

LOOKED_AT = 4_096
"""Bytes by which a format is told."""
HDF5, USER_BLOCKS = b"\x89HDF\r\n\x1a\n", (0, 512, 1_024, 2_048)
"""How HDF5 begins, and where: MATLAB's files have a block of text before it."""
MAGIC = {b"PAR1": "parquet", b"PK\x03\x04": "npz", b"PK\x05\x06": "npz"}
JSON = "JSON: save it as CSV, as pandas.read_json('FILE').to_csv('FILE.csv') does"
PACKED = "unpack it first, or pack it by gzip"
OTHERS = {
    b"\x93NUM": "one NumPy array: save it in an archive, numpy.savez('FILE.npz', states=array)",
    b"#ROSBAG": "a ROS bag: export its topics as CSV, one topic a file",
    b"\x89MCA": "an MCAP recording: export its topics as CSV, one topic a file",
    b"SQLi": "a database, as ROS 2 records to: export its topics as CSV, one topic a file",
    b"ARROW1": "a Feather (Arrow) file: save it as Parquet",
    b"MATLAB 5": "a MATLAB file of an old version: save it with '-v7.3', which is HDF5, or as CSV",
    b"\xd0\xcf\x11\xe0": "an Excel workbook: save it as CSV",
    b"BZh": f"packed by bzip2: {PACKED}",
    b"\xfd7zX": f"packed by xz: {PACKED}",
    b"\x28\xb5\x2f\xfd": f"packed by zstd: {PACKED}",
    b"7z\xbc\xaf": "a 7z archive: unpack it first",
    b"Rar!": "a RAR archive: unpack it first",
    b"\x80\x02": "a pickle, which depo never loads: save its arrays as NPZ",
    b"\x80\x03": "a pickle, which depo never loads: save its arrays as NPZ",
    b"\x80\x04": "a pickle, which depo never loads: save its arrays as NPZ",
    b"\x80\x05": "a pickle, which depo never loads: save its arrays as NPZ",
    b"(dp": "a pickle, which depo never loads: save its arrays as NPZ",
    b"(lp": "a pickle, which depo never loads: save its arrays as NPZ",
    b"cnumpy": "a pickle, which depo never loads: save its arrays as NPZ",
    b"ULog": "a PX4 log: convert it to CSV, as pyulog's ulog2csv does, one topic a file",
    b"\xa3\x95": "an ArduPilot log: convert it to CSV, as mavlogdump.py does, one message a file",
    b"MDF ": "a measurement file (MDF): export it as CSV or Parquet, as asammdf does",
    b"TDSm": "a LabVIEW file (TDMS): export it as CSV",
    b"\x02P": "a C3D motion: export its markers or joints as CSV",
    b"Kaydara": "an FBX motion: convert it to CSV, one column for each channel",
    b"Obj\x01": "an Avro file: save it as Parquet",
    b"ORC": "an ORC file: save it as Parquet",
    b"\x89PNG": "a picture: states are numbers",
    b"\xff\xd8\xff": "a picture: states are numbers",
    b"RIFF": "sound or a film: states are numbers",
    b"version https://git-lfs": "a pointer of Git LFS, the file is not here: git lfs pull",
    b"HIERARCHY": "a BVH motion: convert it to CSV, one column for each channel",
    b"PathFileType": "a TRC file of markers: delete the lines before 'Frame#', keep one header",
    b"<": "HTML or XML: export the table as CSV",
    b"%PDF": "a PDF: export the table as CSV",
}
"""How files begin that are not read, and what to do with them."""
LINES_OF_JSON = re.compile(rb'\s*\{\s*"[^\n]*\}\s*\n\s*\{')
OBJECTS = re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{"])|\s*\[\s*-?\d[^\n\]]*,')


def format_of(head: bytes) -> str:
    """The format of a file that begins like this; what is none of them may be text.

    >>> format_of(b"PAR1..."), format_of(b"t,x\\n0,1"), format_of(512 * b" " + HDF5)
    ('parquet', 'text', 'hdf5')
    """
    if any(head[at:].startswith(HDF5) for at in USER_BLOCKS):
        return "hdf5"
    return next((found for magic, found in MAGIC.items() if head.startswith(magic)), "text")


def check_is_text(head: bytes, path: object) -> None:
    """Refuse what is no table of text, by how it begins, and say what to do.

    >>> check_is_text(b"BZh9", "a.csv.bz2")
    Traceback (most recent call last):
    ...
    depo.core.errors.DepoError: a.csv.bz2 is packed by bzip2: unpack it first, or pack it by gzip
    """
    what = next((what for magic, what in OTHERS.items() if head.startswith(magic)), "")
    bare = head.removeprefix(b"\xef\xbb\xbf")
    if LINES_OF_JSON.match(bare):
        what = JSON.replace("'FILE'", "'FILE', lines=True", 1)
    elif OBJECTS.match(bare):
        what = JSON
    elif head.startswith(b"\x1f\x8b"):
        what = "packed by gzip twice: unpack it once"
    elif head[257:262] == b"ustar":
        what = "an archive of files (tar): unpack it first"
    elif format_of(head) != "text":
        what = f"{format_of(head)} packed by gzip: unpack it first"
    elif _is_of_keys(bare):
        line = readable(bare.split(b"\n")[1].decode(errors="replace").strip())
        what = f"lines of 'name: value' ('{line}'), no table: write one row a line, as CSV"
    if what:
        raise DepoError(f"{path} is {what}")


def _is_of_keys(head: bytes) -> bool:
    """Whether most lines are ``name: value``, as in YAML and what a program prints."""
    lines = [line for line in head.split(b"\n")[:-1] if line.strip()]
    keys = [line for line in lines if re.match(rb"\s*(- )?[A-Za-z_][\w .]*:(\s|$)", line)]
    return len(lines) > 3 and len(keys) > 0.8 * len(lines)
