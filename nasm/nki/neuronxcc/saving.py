"""What ``save_neff_name`` and ``save_trace_name`` write: the trace of a run, and its summary."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from typing import Any

from nasm.base import host_files
from nasm.base.drawing import views
from nasm.base.problems import Failure, Problem, in_line
from nasm.nki.errors import refuse

NAMES = ("save_neff_name", "save_trace_name")
"""The options that name a file. Both files are the same document."""

PROFILED = {"save_neff_name": "file.neff", "save_trace_name": "profile.ntff"}
"""The files of ``nki.profile`` where none are named."""


class SavedTrace:
    """Keeps the trace of a run, and writes it once the run has ended."""

    def __init__(self, paths: list[str], over: bool) -> None:
        self.paths, self.over = paths, over
        self._kept = io.BytesIO()
        self._run: Any = None

    def watch(self, session: Any) -> None:
        """Record a session that has not started."""
        self._run = views().recorded(session.execution, self._kept)

    def save(self) -> None:
        """Write the files; raises Failure."""
        self._run.close()
        for path in self.paths:
            try:
                with host_files.whole(path, self.over) as out:
                    out.write(self._kept.getbuffer())
            except FileExistsError:
                raise Failure(_unwritten(path, "it exists", "overwrite=True replaces it")) from None
            except OSError as problem:
                raise Failure(_unwritten(path, problem.strerror or str(problem))) from None
        names = " and ".join(map(in_line, self.paths))
        sys.stderr.write(f"{names}: trace of the simulated run, as JSON for Perfetto\n")


def _unwritten(path: str, why: str, hint: str = "") -> Problem:
    return Problem("E0806", f"cannot write {in_line(path)}: {why}", None, hint)


def saving(options: Mapping[str, Any]) -> SavedTrace | None:
    """What saves a run of a kernel with these options; None if they name no file."""
    folder = options.get("working_directory")
    paths = [os.path.join(folder or "", _name(n, options[n])) for n in NAMES if options.get(n)]
    over = folder is None or bool(options.get("overwrite"))
    return SavedTrace(paths, over) if paths else None


def _name(option: str, given: Any) -> str:
    name = os.fspath(given) if isinstance(given, str | os.PathLike) else given
    if not isinstance(name, str) or "\0" in name:
        refuse(f"{option}={given!r}: wanted the name of a file")
    return name


def profiled(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of ``nki.profile``, with the names that are left out."""
    folder = options.get("working_directory")
    if not folder or not os.path.isabs(_name("working_directory", folder)):
        refuse(
            f"nki.profile(working_directory={folder!r}): wanted the absolute path of a folder",
            "the trace is saved there; nki.benchmark saves it where save_trace_name says",
        )
    return {**PROFILED, **options}
