"""Rows in a file, as they come: what was run once is not run again.

The file has a line of JSON for each row. A row counts as long as nothing that decided it has
changed: its key says what was asked for, and each file that it read has the content it had then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any

from nasm.base import host_files
from nasm.base.problems import Failure, Problem
from nasm.base.records import fields
from nasm.sweeps.row import SweepRow
from nasm.sweeps.work import hashes

HEAD = {"schema": "neuron-nasm/rows", "version": 1}
"""The first line of each file."""

UNWRITABLE, FOREIGN = "E0806", "E0843"


class Journal:
    """The rows of a file, and a way to add more; ``cut`` says that its last line was incomplete."""

    def __init__(self, out: IO[bytes] | None, path: str = "") -> None:
        self._out, self.path = out, path
        self._rows: dict[tuple[str, str], SweepRow] = {}
        self.cut = False

    def find(self, key: str, version: str) -> SweepRow | None:
        """The row of a run of this version of nasm; None if it must be run."""
        row = self._rows.get((key, version))
        try:
            return row if row is not None and hashes(row.files) == dict(row.files) else None
        except OSError:
            return None

    def add(self, row: SweepRow, version: str) -> None:
        """Keep a row that would not differ another time; raises Failure if it cannot be written."""
        if not row.lasting:
            return
        self._rows[row.key, version] = row
        if self._out is not None:
            names = [f.name for f in fields(row) if f.compare]
            self._write({"nasm": version} | {name: getattr(row, name) for name in names})

    def _write(self, line: dict[str, Any]) -> None:
        assert self._out is not None
        try:
            self._out.write(json.dumps(line, default=dict).encode() + b"\n")
            self._out.flush()
        except OSError as problem:
            raise Failure(_unusable(UNWRITABLE, self.path, problem)) from None

    def load(self, text: bytes) -> None:
        """Take the rows of a file's text; raises Failure if it is something else."""
        lines = text.split(b"\n")
        self.cut = bool(lines.pop())
        if not lines and not self.cut:
            self._write(HEAD)
            return
        for number, line in enumerate(lines, 1):
            try:
                found = json.loads(line)
                if number == 1:
                    _check_head(found)
                else:
                    version = found.pop("nasm")
                    self._rows[found["key"], version] = SweepRow(**found)
            except (ValueError, TypeError, KeyError, AttributeError):
                what = "is not a file of rows" if number == 1 else f"has no row in line {number}"
                hint = "name another file, or remove this one to begin again"
                raise Failure(Problem(FOREIGN, f"{self.path} {what}", None, hint)) from None
        if not lines:
            raise Failure(Problem(FOREIGN, f"{self.path} is not a file of rows"))


def _check_head(found: Any) -> None:
    if found != HEAD:
        raise ValueError(found)


@contextmanager
def journal(path: str) -> Iterator[Journal]:
    """The rows of a file, which is made if there is none; raises Failure.

    Without a path rows are kept in memory alone. What a killed process has left incomplete is cut
    off. The file belongs to one process at a time.
    """
    if not path:
        yield Journal(None)
        return
    import fcntl  # which not every Python in a browser has

    with ExitStack() as opened:
        try:
            out = opened.enter_context(host_files.opened(path, "ab"))
            fcntl.flock(out.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            text = host_files.read_bytes(path)
            made = Journal(out, path)
            made.load(text)
            if made.cut:
                host_files.shorten(out, text.rindex(b"\n") + 1)
        except BlockingIOError:
            message = f"{path} is in use by another process"
            raise Failure(Problem(UNWRITABLE, message, None, "name another file")) from None
        except OSError as problem:
            raise Failure(_unusable(UNWRITABLE, path, problem)) from None
        yield made
        try:
            opened.close()
        except OSError as problem:
            raise Failure(_unusable(UNWRITABLE, path, problem)) from None


def _unusable(code: str, path: str, problem: OSError) -> Problem:
    return Problem(code, f"cannot write {path}: {problem.strerror or problem}")
