"""A session as a recording; docs/recordings.md says what is in one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nasm import __version__
from nasm.analysis import summary
from nasm.base import files, host_files
from nasm.base.array_files import ArrayFile
from nasm.base.problems import Failure, Problem, Refused, counted
from nasm.base.source import Source
from nasm.base.source_files import LARGEST, RECORDING, decoded
from nasm.debugger.moving.past import MadeChange
from nasm.debugger.recordings import journal
from nasm.debugger.recordings.arrays import KeptArrays
from nasm.isa.timing import Timing
from nasm.language.assemble import Rewrite, assemble
from nasm.language.expanding.including import ENDING, LIBRARY
from nasm.language.objects.bodies import document
from nasm.language.objects.sections import joined
from nasm.language.objects.writing import written as object_of
from nasm.machine import tensor_io
from nasm.machine.records import Status
from nasm.runs.execution import Execution
from nasm.targets import TARGETS
from nasm.views.view import View

if TYPE_CHECKING:
    from nasm.debugger.changing.changes import HandChange
    from nasm.debugger.moving.breakpoints import Breakpoints
    from nasm.debugger.moving.travel import Travel
    from nasm.debugger.parts.changes import TypedText
    from nasm.program.program import Program
    from nasm.runs.settings import RunSettings

WRONG = "E0822"

DOCUMENT, PROGRAM, DATA = "record", "program", "data"
"""The sections of a recording."""


def written(
    run: Execution, travel: Travel, stops: Breakpoints, typed: Sequence[TypedText]
) -> bytes:
    """A run with its past as bytes; raises Failure, or Refused for what no recording holds."""
    program = object_of(run.assembled, run.source)
    _refuse_files(run, typed)
    arrays = KeptArrays()
    content = {
        "nasm": __version__,
        "settings": _settings(run),
        "text": _text(run, program),
        "called": run.called,
        "inputs": _inputs(run, travel, arrays),
        **_Journal(run, travel, typed, arrays).written(),
        "names": [list(one) for one in run.named.items()],
        "breakpoints": [
            {
                "number": one.number,
                "what": one.asked.what,
                "how": one.asked.how,
                "condition": one.condition,
                "ignore": one.ignore,
                "temporary": one.temporary,
                "enabled": one.enabled,
                "hits": one.hits,
                "name": one.name,
            }
            for one in stops
        ],
        "at": list(run.moment),
        "state": state(run),
    }
    content["arrays"] = arrays.index
    data = arrays.data()
    if len(program) + len(data) > LARGEST:
        size = counted(len(program) + len(data), "byte")
        raise Refused(WRONG, f"the program and its arrays have {size}: at most {LARGEST:,} fit")
    return joined({DOCUMENT: document(content), PROGRAM: program, DATA: data}, RECORDING)


def state(run: Execution) -> dict[str, Any]:
    """What is compared when it is replayed: how far the run has got, and hashes of it."""
    machine, held = run.machine, run.machine.scheduler.semaphores
    stopped = run.status in (Status.LIMIT, Status.TIMEOUT, Status.INTERRUPTED)
    return {
        "status": (Status.RUNNING if stopped else run.status).name,
        "trace": machine.summary.digest(),
        "memory": summary.memory_hash(machine) if machine.values else "",
        "semaphores": [[n, one.value] for n, one in sorted(held.items()) if one.value],
    }


def _settings(run: Execution) -> dict[str, Any]:
    return {
        "values": run.values,
        "strict": run.policy.strict,
        "checked": run.machine.checked,
        "allow": list(run.settings.allow),
    }


# ---------------------------------------------------------------- what it is made of


def _text(run: Execution, program: bytes) -> dict[str, Any] | None:
    """How the text was assembled, with what it includes; None for a program without one.

    Macros and views of a text are not in an object: who types lines after it needs the text.
    """
    if run.source is None:
        return None
    chosen = run.assembly
    included = dict(_included(run, program))
    return {
        "target": chosen.target,
        "defines": dict(chosen.defines or {}),
        "options": {name: str(value) for name, value in (chosen.options or {}).items()},
        "timing": dict(Timing.of(chosen.timing).values),
        "autosync": chosen.autosync,
        "include": list(run.assembled.files.include),
        "files": [list(one) for one in included.items()],
    }


def _included(run: Execution, program: bytes) -> Iterator[tuple[str, str]]:
    """The texts that a text includes, by their paths, those of the library apart."""
    source = run.source
    assert source is not None
    if ".include" not in source.text:
        return
    allowed = run.assembled.files
    for path, held in allowed.held.items():
        if path.endswith(ENDING):
            yield path, decoded(held, path)
    with files.noting() as asked:
        again = again_assembled(run.assembly, source, allowed)
    if object_of(again, source) != program:
        message = "what the program includes has changed since it was loaded"
        raise Refused(WRONG, message, "load it again")
    ours = os.path.join(os.path.realpath(LIBRARY), "")
    for path, status in asked.items():
        library = os.path.realpath(path).startswith(ours)
        if path.endswith(ENDING) and not library and not _same(path, source.name):
            read = _read(path, sought=status is None)
            if read is not None:
                yield _named(path, source, allowed), decoded(read, path)


def _read(path: str, sought: bool) -> bytes | None:
    """What a file holds; None if it was only ``sought`` there and is not. Raises Failure."""
    try:
        return host_files.read_bytes(Path(path))
    except OSError as problem:
        if sought and isinstance(problem, FileNotFoundError | NotADirectoryError):
            return None
        message = f"cannot read {path}: {problem.strerror or problem}"
        raise Failure(Problem("E0801", message)) from None


def again_assembled(chosen: RunSettings, source: Source, allowed: files.Allowed) -> Program:
    """The program of a text, assembled as it was; raises Failure."""
    given_by = (chosen.target, chosen.defines, chosen.options, allowed, Timing.of(chosen.timing))

    def assembled(source: Source, rewrite: Rewrite | None, _: bool) -> Program:
        return assemble(source, TARGETS, *given_by, rewrite)

    if chosen.autosync:
        from nasm.language.editing.synchronised import autosynchronised  # most texts have waits

        return autosynchronised(source, assembled)
    return assembled(source, None, True)


def _same(path: str, name: str) -> bool:
    return os.path.abspath(name) == path


def _named(path: str, source: Source, allowed: files.Allowed) -> str:
    """An absolute path as the text leads to it: relative if the text and its folders are."""
    within = (os.path.isabs(folder) and path.startswith(folder) for folder in allowed.include)
    return path if os.path.isabs(source.name) or any(within) else os.path.relpath(path)


def _refuse_files(run: Execution, typed: Sequence[TypedText]) -> None:
    """Refuse typed lines that read files, which would not be in the recording."""
    own = run.assembled.tensors
    read = [t.name for t in run.program.tensors.values()
            if t.name not in own and isinstance(t.init, ArrayFile)]  # fmt: skip
    if read:
        raise Refused(WRONG, f"{read[0]} was typed with values of a file, which no recording holds",
                      f"declare it without, then: set {read[0]} = \"FILE\"")  # fmt: skip
    if any(".include" in one.change.text for one in typed):
        raise Refused(WRONG, "a typed line includes a file, which no recording holds",
                      "include it in the program")  # fmt: skip


def _inputs(run: Execution, travel: Travel, arrays: KeptArrays) -> list[list[Any]]:
    """What the inputs began with that were given, as their tensors store it."""
    if not run.values or not run.inputs:
        return []
    with travel.at("start"):
        tensors, addresses = run.program.tensors, run.machine.addresses
        return [
            [name, arrays.number(tensor_io.contents(addresses, View.whole(tensors[name])))]
            for name in run.inputs
        ]


# ---------------------------------------------------------------- what was done


class _Journal:
    """All that was done by hand: typed texts, changes, and which of them lead to which moment."""

    def __init__(
        self, run: Execution, travel: Travel, typed: Sequence[TypedText], arrays: KeptArrays
    ) -> None:
        self.run, self.travel, self.typed, self.arrays = run, travel, typed, arrays
        self._texts = {id(one.change): n for n, one in enumerate(typed)}
        self._numbers: dict[int, int] = {}
        self._rows: list[dict[str, Any]] = []

    def written(self) -> dict[str, Any]:
        """The parts of the document."""
        typed = [
            {
                "text": one.change.text,
                "declares": one.declares,
                "at": list(one.moment),
                "after": self._branch(one.before),
            }
            for one in self.typed
        ]
        marks = [
            {"name": mark.name, "at": list(mark.moment), "after": self._branch(mark.changes)}
            for mark in self.travel.marks.values()
        ]
        branch = self._branch(self.travel.past.changes)
        return {"typed": typed, "changes": self._rows, "marks": marks, "branch": branch}

    def _branch(self, changes: Sequence[MadeChange]) -> list[int]:
        """The numbers of changes, each of which was made after those before it."""
        numbers: list[int] = []
        for made in changes:
            number = self._numbers.get(id(made))
            if number is None:
                number = self._numbers[id(made)] = len(self._rows)
                self._rows.append({"at": list(made.moment), "after": list(numbers),
                                   **self._what(made.change)})  # fmt: skip
            numbers.append(number)
        return numbers

    def _what(self, change: Any) -> dict[str, Any]:
        text = self._texts.get(id(change))
        if text is not None:
            return {"do": "type", "typed": text}
        hand: HandChange = change
        return journal.written(self.run, hand, self.arrays)
