"""The tables that ``profile --tables`` writes: one file each, whole or absent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import IO, NamedTuple

from nasm.apps.cli import results
from nasm.base.problems import Failure, Problem
from nasm.runs.execution import Execution
from nasm.show import schema
from nasm.show.table_files import TableWriters, Writer, ready
from nasm.show.table_rows import TableRows


def _close(writer: Writer, out: IO[bytes]) -> None:
    writer.close()


class WrittenTable(NamedTuple):
    """A table that was written to a file."""

    table: str
    file: str
    rows: int


class TableFolder:
    """A folder of tables that are being written while a session runs.

    ``others`` say of paths what they are: none of them may be written over. Raises Failure for what
    can be seen to be wrong before the run.
    """

    def __init__(
        self, session: Execution, folder: str, form: str, others: Sequence[tuple[str, str]]
    ) -> None:
        ready(form)
        tables = schema.tables(session.program.generation)
        self.paths = {name: os.path.join(folder, f"{name}.{form}") for name in tables}
        results.make_folder(folder)
        paths = [(f"the table {name}", path) for name, path in self.paths.items()]
        problems = results.clashes(paths, others, False)
        found = (results.unwritable(path) for path in self.paths.values())
        problems += [problem for problem in found if problem is not None]
        if problems:
            raise Failure(problems)
        self._begun = ExitStack()
        try:
            self._files = {
                name: self._begun.enter_context(results.begun(path))
                for name, path in self.paths.items()
            }
            outs = {name: file.out for name, file in self._files.items()}
            self._writers = TableWriters(form, outs, tables)
            self._rows = TableRows(session, self._writers)
        except BaseException:
            self.drop()
            raise

    def keep(self) -> tuple[list[WrittenTable], list[Problem]]:
        """Write the ends of all; returns what was written, and what could not be."""
        self._rows.close()
        written: list[WrittenTable] = []
        problems: list[Problem] = []
        for name, file in self._files.items():
            writer = self._writers.of[name]
            try:
                file.keep(partial(_close, writer))
            except Failure as failure:
                problems += failure.problems
                continue
            written.append(WrittenTable(name, self.paths[name], writer.rows))
        return written, problems

    def drop(self) -> None:
        """Remove whatever was not kept."""
        self._begun.close()
