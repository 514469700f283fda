"""Recordings as loggers and other projects leave them, made into demonstrations, chunk by chunk.

A file is read as rows (``text``, ``parquet``, ``hdf5``, ``archives``), its columns become signals
in SI units (``columns``, ``units``), rows are cut where they do not hang together (``segments``),
brought to the environment's step (``resampling``), velocities are derived (``velocities``), and
what is long enough is written (``writing``). ``plan`` settles how a file is read, ``file_import``
and ``pipeline`` put these together, ``report`` says what became of each file.
"""
