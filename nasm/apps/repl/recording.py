"""Commands written to a file as they are given, so that `source` can do them again."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO

from nasm.apps.repl.command import WRONG
from nasm.base import host_files
from nasm.base.problems import Refused, in_line


class SessionRecording:
    """What is recorded, and where to; nothing until it is begun."""

    def __init__(self) -> None:
        self._file: TextIO | None = None

    @property
    def path(self) -> str:
        """The file; empty if there is none."""
        return self._file.name if self._file else ""

    def begin(self, path: str, more: bool) -> None:
        """Begin; ``more`` adds to a file that may be there. Raises Refused."""
        name = os.path.expanduser(path)
        try:
            file = host_files.text(name, "a" if more else "x")
        except FileExistsError:
            hint = f"another name, or add to it: record >> {in_line(path)}"
            raise Refused(WRONG, f"{in_line(path)} is there already", hint) from None
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise Refused(WRONG, f"cannot write {in_line(path)}: {reason}") from None
        self.end()
        self._file = file

    def add(self, line: str, done: bool) -> None:
        """Write a command; one that failed as a comment, so that what is recorded can be done.

        Raises Refused where it cannot be written; nothing more is recorded then.
        """
        if self._file is None:
            return
        lines = (
            line.split("\n") if done else [f"; {part}" for part in f"{line}  (failed)".split("\n")]
        )
        try:
            self._file.writelines(f"{part}\n" for part in lines)
            self._file.flush()
        except OSError as problem:
            reason = problem.strerror or str(problem)
            path = self.path
            self.end()
            raise Refused(WRONG, f"cannot write {in_line(path)}: {reason}") from None

    def end(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # reported when it was written to
                file.close()
