"""Files that the command line names: programs, arrays in, arrays and traces out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from nasm.apps.cli import results
from nasm.base import dtypes, host_files
from nasm.base.names import identifier
from nasm.base.problems import Failure, Problem, Refused, did_you_mean, in_line
from nasm.base.records import replace
from nasm.base.source import Source
from nasm.base.source_files import LARGEST, Given, given_as, program_of, source_of
from nasm.machine import tensor_io
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.views.tensor import Tensor
from nasm.views.view import View

STDIN = "<stdin>"
"""What a program is called that comes from standard input."""


def program(path: str) -> Given:
    """A program, as a text or as an object file; ``-`` is standard input."""
    if path != "-":
        return program_of(Path(path))
    read = given_as(sys.stdin.buffer.read(LARGEST + 1), "standard input")
    return replace(read, name=STDIN)


ELF = ".elf"


def with_code(path: str, cores: Iterable[tuple[str, str]], alone: bool) -> Source:
    """A program that includes ELF files for cores; ``alone`` it is named as the first of them."""
    source = Source(path, ".target wormhole\n") if alone else program_text(path)
    lines = [source.text]
    for core, file in cores:
        if not file.endswith(ELF):
            message = f"{in_line(file)} is no file of code: the file is not called *{ELF}"
            raise Failure(Problem("E0801", message))
        there = os.path.relpath(file, os.path.dirname(path) or ".")
        escaped = there.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'.rv {core}\n.include "{escaped}"\n')
    return Source(source.name, "".join(lines))


def program_text(path: str) -> Source:
    """The text of a program; raises Failure, also for an object file."""
    return source_of(program(path))


def destinations(
    program: Program, bindings: Iterable[tuple[str, str]], folder: str | None
) -> dict[str, Tensor]:
    """The files that ``--out`` and ``--out-dir`` ask for; refuses names the program lacks."""
    wanted: dict[str, Tensor] = {}
    problems: list[Problem] = []
    if folder is not None:
        for tensor in program.tensors.values():
            if tensor.role in ("output", "inout"):
                try:
                    wanted[os.path.join(folder, f"{identifier(tensor.name)}.npy")] = tensor
                except Refused as refused:
                    problems.append(refused.at(None))
    for name, path in bindings:
        known = program.tensors.get(name)
        if known is None:
            outputs = [t.name for t in program.tensors.values() if t.role in ("output", "inout")]
            hint = did_you_mean(name, program.tensors)
            hint = hint or (f"its outputs: {', '.join(outputs)}" if outputs else "")
            problems.append(
                Problem("E0805", f"--out: the program has no tensor '{name}'", None, hint)
            )
        elif wanted.get(path, known) is not known:
            message = f"--out: two tensors would be written to {path}"
            problems.append(Problem("E0813", message, None, "give each a file of its own"))
        else:
            wanted[path] = known
    if problems:
        raise Failure(problems)
    return wanted


class WrittenArray(NamedTuple):
    """A tensor that was written to a file."""

    tensor: str
    file: str
    dtype: str
    stored_as: str
    shape: list[int]


def store(session: Execution, wanted: Mapping[str, Tensor]) -> Iterator[WrittenArray | Problem]:
    """Write tensors to their files; gives for each what was written where, or why it was not."""
    for path, tensor in wanted.items():
        contents = tensor_io.contents(session.machine.addresses, View.whole(tensor))
        try:
            yield put_array(tensor.name, path, contents, tensor.dtype)
        except Failure as failure:
            yield from failure.problems


def put_array(
    name: str, path: str, array: np.ndarray[Any, Any], dtype: dtypes.DType
) -> WrittenArray:
    """Write the elements of a tensor to a .npy file; returns what was written, raises Failure."""
    kept = np.ascontiguousarray(dtypes.npy_storable(array, dtype))

    def save(out: IO[bytes]) -> None:
        np.lib.format.write_array(host_files.Stream(out), kept, allow_pickle=False)

    results.replace(path, save)
    return WrittenArray(name, path, dtype.name, str(kept.dtype), list(array.shape))


class Tracing:
    """A trace that is being written to a file."""

    def __init__(self, session: Execution, file: results.PartialFile, detail: str) -> None:
        from nasm.show.trace import stream

        zipped = file.path.endswith(".gz")
        self._file, self._stream = file, stream(session, file.out, zipped=zipped, detail=detail)
        self._ended = False

    def keep(self) -> int:
        """Write the end of it; returns how many slices it has, raises Failure."""
        self._file.keep(lambda out: self._end())
        return self._stream.slices

    def _end(self) -> None:
        self._ended = True
        self._stream.close()

    def leave(self) -> None:
        """A reader of a trace that is cut short still gets JSON."""
        if not self._ended and self._file.beside is None:
            with suppress(OSError):
                self._end()
                self._file.out.flush()


@contextmanager
def tracing(session: Execution, path: str, detail: str) -> Iterator[Tracing]:
    """The trace of what a session does within it, gone in the end unless it was kept.

    Raises Failure if it cannot be written.
    """
    with results.begun(path) as file:
        trace = Tracing(session, file, detail)
        try:
            yield trace
        finally:
            trace.leave()
