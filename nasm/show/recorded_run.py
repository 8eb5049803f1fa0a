"""A run as one document: its trace, which Perfetto opens, with its summary at the end."""

from __future__ import annotations

from typing import IO, Any

from nasm.runs.execution import Execution
from nasm.show import schema
from nasm.show.table_rows import TableRows
from nasm.show.trace import stream

SUMMARY = "summary"
"""The key of the document whose value is the one row of the table ``Summary``."""


class RecordedRun:
    """Writes the trace of a session that has not started, and was made with ``profile=True``."""

    def __init__(self, session: Execution, out: IO[bytes]) -> None:
        self._trace = stream(session, out)
        self._summary: dict[str, Any] = {}
        self._rows = TableRows(session, self._row)

    def _row(self, table: str, row: dict[str, Any]) -> None:
        if table == schema.SUMMARY:
            self._summary = row

    def close(self) -> dict[str, Any]:
        """Write the end of it, and return its summary; raises OSError."""
        self._rows.close()
        self._trace.close({SUMMARY: self._summary})
        return self._summary
