"""What a child process does: make a program of a kernel, or run a program.

Python of others runs in the first alone. What that returns is data: an object file and arrays,
read as if a person had written them. The second runs no Python but ours.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from nasm.analysis.profile.records import Profile
from nasm.api import run
from nasm.base import host_memory
from nasm.base.files import Allowed
from nasm.base.page import RunPage
from nasm.base.problems import FAMILIES, Failure, Problem
from nasm.base.records import dataclass, replace
from nasm.base.source_files import Given, ObjectFile
from nasm.isa.timing import Timing
from nasm.language.objects import loaded
from nasm.language.objects.writing import written
from nasm.machine.outlines import NO_VALUES
from nasm.machine.records import RunReport
from nasm.nki.loading import load
from nasm.program.program import Program
from nasm.runs.settings import RunSettings
from nasm.show import jsonable
from nasm.targets import TARGETS

OF_MEMORY = Problem("E0808", "the process reached its limit of memory")
FORGED = "E0655"


@dataclass(frozen=True, slots=True)
class TraceWork:
    """A kernel to make a program of, with the shapes and dtypes of its arrays: it sees no value."""

    kernel: str
    arrays: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]
    words: Mapping[str, str]
    lnc: int | None
    dma: str
    hoist: bool | None
    overlap: int | None
    settings: RunSettings

    def done(self) -> bytes:
        """A zip with the object file, and what its inputs begin with; raises Failure."""
        given = {name: np.zeros(*of) for name, of in self.arrays.items()}
        chosen = self.settings
        try:
            made = load(
                self.kernel,
                given,
                self.words,
                lnc=self.lnc,
                target=chosen.target,
                dma=self.dma,
                hoist=self.hoist,
                overlap=self.overlap,
                options=chosen.options,
                timing=chosen.timing,
            )
        except Failure as failure:
            cause = failure.__cause__
            if cause is not None and host_memory.lacking(cause):
                raise Failure(OF_MEMORY) from None
            raise
        names = {id(array): name for name, array in given.items()}
        inputs = {tensor: names[id(array)] for tensor, array in made.given.items()}
        constants = {name: array for name, array in made.inputs.items() if name not in inputs}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("program", written(made.program, strip=True))
            archive.writestr("inputs", json.dumps(inputs))
            for name, array in constants.items():
                archive.writestr(f"constants/{name}", np.ascontiguousarray(array).tobytes())
        return packed.getvalue()


@dataclass(frozen=True, slots=True)
class DryRun:
    """A run without values, and its profile: nothing of it follows from the values of inputs."""

    report: RunReport
    profile: Profile


class Ran(NamedTuple):
    """What became of a run: its profile, its page and the dry run, each if that was asked for."""

    report: RunReport
    outputs: dict[str, np.ndarray[Any, Any]] | None
    profile: Profile | None
    page: RunPage | None
    dry: DryRun | None


@dataclass(frozen=True, slots=True)
class RunWork:
    """A program to run; ``traced`` is what :class:`TraceWork` has made of a kernel.

    With ``dry`` it is run without values first.
    """

    name: str
    program: Given | None
    traced: bytes | None
    inputs: Any
    settings: RunSettings
    page: bool
    dry: bool

    def done(self) -> bytes:
        """What :class:`Ran` has, pickled; raises Failure."""
        program, inputs = self._program() if self.traced is None else self._kernel(self.traced)
        chosen = replace(self.settings.of_assembled(files=True), python=False)
        dry = self._dry(program, chosen) if self.dry else None
        result = run(program, inputs, settings=chosen)
        report = replace(result.report, program=self.name)
        profile = result.session.profile() if chosen.profile else None
        page = result.session.page() if self.page else None
        outputs = result.outputs if report.values else None
        return pickle.dumps(Ran(report, outputs, profile, page, dry))

    def _dry(self, program: Program, chosen: RunSettings) -> DryRun | None:
        try:
            result = run(program, settings=replace(chosen, values=False, profile=True))
        except Failure as failure:
            if any(problem.code == NO_VALUES for problem in failure.problems):
                return None
            raise
        if any(problem.code == NO_VALUES for problem in result.report.problems):
            return None
        profile = result.session.profile()
        return DryRun(replace(result.report, program=self.name), profile)

    def _program(self) -> tuple[Program, Any]:
        assert self.program is not None
        return self.settings.assembled(self.program).program, self.inputs

    def _kernel(self, traced: bytes) -> tuple[Program, dict[str, Any]]:
        """The program that a kernel became, with its inputs; refuses one that a kernel is not."""
        try:
            with zipfile.ZipFile(io.BytesIO(traced)) as archive:
                data, names = archive.read("program"), json.loads(archive.read("inputs"))
                made = loaded(ObjectFile(self.name, data), TARGETS, files=Allowed.of(False))
                program = made.program
                self._as_asked(program)
                inputs = {tensor: self.inputs[name] for tensor, name in names.items()}
                for entry in archive.namelist():
                    folder, _, name = entry.partition("/")
                    if folder == "constants":
                        tensor = program.tensors[name]
                        flat = np.frombuffer(archive.read(entry), tensor.dtype.numpy)
                        inputs[name] = flat.reshape(tensor.shape)
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
            raise _forged(f"what the kernel's process sent is no program: {error!r}") from None
        return program, inputs

    def _as_asked(self, program: Program) -> None:
        """Refuse another machine than was asked for, and what no kernel can say."""
        chosen = self.settings
        assert chosen.target is not None
        target = TARGETS[chosen.target]()
        generation = target.generation(chosen.target)
        assert generation is not None
        asked = target.configured(generation, chosen.options or {}, Timing.of(chosen.timing))
        found = program.generation
        if (found.spellings, found.options) != (asked.spellings, asked.options) or (
            program.figures_set != target.figures_set(asked)
        ):
            raise _forged("the kernel's program is for another machine than was asked for")
        if program.expectations or program.allows:
            raise _forged("the kernel's program has expectations, or allows problems")


Work = TraceWork | RunWork


def _forged(message: str) -> Failure:
    return Failure(Problem(FORGED, message))


def packed(problems: tuple[Problem, ...]) -> bytes:
    """Problems as a JSON text; their places are those of the files themselves."""
    return json.dumps([_absolute(p) for p in problems]).encode()


def _absolute(problem: Problem) -> dict[str, Any]:
    made = jsonable.problem(problem)
    if made["file"] is not None:
        made["file"] = os.path.abspath(made["file"])
    return made


def unpacked(data: bytes) -> list[dict[str, Any]]:
    """What a process says is wrong, each with a code, a message, a hint, a file and a line.

    Raises ValueError for anything else.
    """
    found = json.loads(data)
    if not isinstance(found, list) or not found:
        raise ValueError("wanted a list of problems")
    return [_checked(each) for each in found[:50]]


_TEXTS = ("code", "message", "hint")


def _checked(each: Any) -> dict[str, Any]:
    if not isinstance(each, dict):
        raise ValueError("a problem is an object")
    texts = [text for name in _TEXTS if isinstance(text := each.get(name), str)]
    if len(texts) < len(_TEXTS) or texts[0][:3] not in FAMILIES:
        raise ValueError("a problem has a code, a message and a hint")
    line, file = each.get("line"), each.get("file")
    placed = isinstance(file, str) and type(line) is int
    return {
        "code": texts[0],
        "message": texts[1][:2000],
        "hint": texts[2][:2000],
        "file": file if placed else None,
        "line": line if placed else None,
    }
