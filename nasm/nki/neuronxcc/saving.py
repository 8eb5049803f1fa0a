"""What ``save_neff_name`` and ``save_trace_name`` write: the trace of a run, and its summary."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from nasm.base import host_files
from nasm.base.drawing import views
from nasm.base.problems import Failure, Problem, in_line
from nasm.nki.errors import refuse
from nasm.views.value_text import value_text

NAMES = ("save_neff_name", "save_trace_name")
"""The options that name a file. Both files are the same document."""

PROFILED = {"save_neff_name": "file.neff", "save_trace_name": "profile.ntff"}
"""The files of ``nki.profile`` where none are named."""


REPORTS = "json_reports"
"""The folder of summaries in that of ``nki.profile``, as the test in nki-samples has it."""

MOST = 1000
"""Executions of ``nki.profile``: each profiled one has a trace and a report."""


class SavedTrace:
    """Keeps the trace of a run, and writes it once the run has ended."""

    def __init__(self, paths: list[str], reports: list[str], over: bool) -> None:
        self.paths, self.reports, self.over = paths, reports, over
        self._kept = io.BytesIO()
        self._run: Any = None

    def watch(self, session: Any) -> None:
        """Record a session that has not started."""
        self._run = views().recorded(session.execution, self._kept)

    def save(self) -> None:
        """Write the files; raises Failure."""
        summary = self._run.close()
        for path in self.paths:
            self._write(path, self._kept.getbuffer())
        for path in self.reports:
            self._write(path, json.dumps(summary, indent=1).encode())
        names = " and ".join(map(in_line, self.paths))
        sys.stderr.write(f"{names}: trace of the simulated run, as JSON for Perfetto\n")

    def _write(self, path: str, data: bytes | memoryview) -> None:
        try:
            if self.reports:
                host_files.make_folders(os.path.dirname(path))
            with host_files.whole(path, self.over) as out:
                out.write(data)
        except FileExistsError:
            raise Failure(_unwritten(path, "it exists", "overwrite=True replaces it")) from None
        except OSError as problem:
            raise Failure(_unwritten(path, problem.strerror or str(problem))) from None


def _unwritten(path: str, why: str, hint: str = "") -> Problem:
    return Problem("E0806", f"cannot write {in_line(path)}: {why}", None, hint)


def saving(options: Mapping[str, Any]) -> SavedTrace | None:
    """What saves a run of a kernel with these options; None if they name no file."""
    names = {option: _name(option, options[option]) for option in NAMES if options.get(option)}
    if not names:
        return None
    folder = options.get("working_directory")
    if folder is None:
        return SavedTrace(list(names.values()), [], True)
    stem, ending = os.path.splitext(names["save_trace_name"])
    traces = [f"{stem}{execution}" for execution in _executions(options)]
    paths = [names["save_neff_name"], *(f"{trace}{ending}" for trace in traces)]
    reports = [os.path.join(REPORTS, f"{os.path.basename(trace)}.json") for trace in traces]
    return SavedTrace(
        [os.path.join(folder, path) for path in paths],
        [os.path.join(folder, path) for path in reports],
        bool(options.get("overwrite")),
    )


def _executions(options: Mapping[str, Any]) -> list[str]:
    """What the name of a trace has of each execution that is profiled: every n-th one."""
    every, count = (_count(options, name) for name in ("profile_nth", "num_execs"))
    chosen = range(every, count + 1, every) if every <= count else [every]
    return ["" if number == 1 else f"_exec_{number}" for number in chosen]


def _count(options: Mapping[str, Any], name: str) -> int:
    given = options.get(name, 1)
    if isinstance(given, bool) or not isinstance(given, int) or not 0 < given <= MOST:
        refuse(f"nki.profile({name}={value_text(given)}): wanted a number from 1 to {MOST}")
    return given


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
    made = {**PROFILED, **options}
    _executions(made)
    return made
