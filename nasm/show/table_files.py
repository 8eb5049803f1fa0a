"""Tables as files: JSON lines, or Parquet with pyarrow, in memory that does not grow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import IO, Any, Protocol

from nasm.base.problems import Failure, Problem
from nasm.show.schema import INTEGER, NUMBER, TEXT, Column, Tables

FORMATS = ("jsonl", "parquet")
"""The formats; each is the ending of its files."""

MANY = 20_000
"""Rows of a Parquet file that are kept before they are written."""

Row = Mapping[str, Any]


class Writer(Protocol):
    """Writes the rows of one table; ``rows`` were written."""

    rows: int

    def add(self, row: Row) -> None:
        """Take one more."""

    def close(self) -> None:
        """Write the rest; raises OSError if it could not be written as a whole."""


def ready(form: str) -> None:
    """Refuse a format that cannot be written here, before anything is run."""
    if form == "parquet":
        try:
            import_module("pyarrow.parquet")
        except ImportError:
            message = "Parquet is written with the package pyarrow, which is not installed"
            hint = "pip install 'neuron-nasm[parquet]', or leave --format=jsonl"
            raise Failure(Problem("E0817", message, None, hint)) from None


def writer(form: str, out: IO[bytes], columns: Sequence[Column]) -> Writer:
    """A writer of a table to a file."""
    return (Parquet if form == "parquet" else JsonLines)(out, columns)


class JsonLines:
    """A table as a JSON object per line, with every column in its order."""

    def __init__(self, out: IO[bytes], columns: Sequence[Column]) -> None:
        self._out, self.rows = out, 0
        self._names = [column.name for column in columns]
        self._broken: OSError | None = None

    def add(self, row: Row) -> None:
        """Write a line; an error is raised at the end, since the run did not cause it."""
        self.rows += 1
        if self._broken is None:
            line = json.dumps({name: row[name] for name in self._names}, allow_nan=False)
            try:
                self._out.write(line.encode("ascii") + b"\n")
            except OSError as problem:
                self._broken = problem

    def close(self) -> None:
        """Say what could not be written."""
        if self._broken is not None:
            raise self._broken


class Parquet:
    """A table as a Parquet file, a group of rows at a time."""

    def __init__(self, out: IO[bytes], columns: Sequence[Column]) -> None:
        arrow: Any = import_module("pyarrow")
        kinds = {INTEGER: arrow.int64(), NUMBER: arrow.float64(), TEXT: arrow.string()}
        fields = [
            arrow.field(c.name, kinds[c.kind], metadata={"unit": c.unit, "description": c.meaning})
            for c in columns
        ]
        self._arrow, self._schema = arrow, arrow.schema(fields)
        self._file: Any = import_module("pyarrow.parquet").ParquetWriter(out, self._schema)
        self._kept: list[Row] = []
        self._broken: OSError | None = None
        self.rows = 0

    def add(self, row: Row) -> None:
        """Keep a row, and write those that are kept if they are many."""
        self.rows += 1
        self._kept.append(row)
        if len(self._kept) >= MANY:
            self._flush()

    def _flush(self) -> None:
        if self._broken is None and self._kept:
            try:
                self._file.write_table(self._arrow.Table.from_pylist(self._kept, self._schema))
            except OSError as problem:
                self._broken = problem
        self._kept = []

    def close(self) -> None:
        """Write the rest, and the footer."""
        self._flush()
        if self._broken is not None:
            raise self._broken
        self._file.close()


class TableWriters:
    """A writer for each table: what :class:`nasm.show.table_rows.TableRows` gives rows to."""

    def __init__(self, form: str, files: Mapping[str, IO[bytes]], tables: Tables) -> None:
        self.of = {name: writer(form, out, tables[name]) for name, out in files.items()}

    def __call__(self, table: str, row: Row) -> None:
        """Take a row of a table."""
        self.of[table].add(row)
