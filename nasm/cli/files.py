"""Files that the command line names: programs, arrays in, arrays and traces out."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

import numpy as np

from nasm import dtypes
from nasm.machine import tensor_io
from nasm.problems import Failure, Problem, did_you_mean
from nasm.session import Session
from nasm.source import Source
from nasm.source_files import source_of
from nasm.spec.array_files import ArrayFile
from nasm.spec.memory import Tensor
from nasm.spec.program import Program
from nasm.spec.view import View


def program_text(path: str) -> Source:
    """The text of a program; ``-`` is standard input."""
    if path != "-":
        from pathlib import Path

        return source_of(Path(path))
    try:
        text = sys.stdin.buffer.read().decode("utf-8") if sys.stdin else ""
    except UnicodeDecodeError:
        raise Failure(Problem("E0801", "standard input is not UTF-8 text")) from None
    return Source("<stdin>", text.replace("\r\n", "\n"))


def arrays(bindings: Iterable[tuple[str, str]]) -> dict[str, ArrayFile]:
    """The files of ``--in NAME=FILE``, which are read when the program is loaded."""
    found: dict[str, ArrayFile] = {}
    problems: list[Problem] = []
    for name, path in bindings:
        if name in found:
            problems.append(Problem("E0803", f"--in {name} is given twice"))
        file, _, key = path.rpartition(":")
        found[name] = ArrayFile("", file, key) if file.endswith(".npz") else ArrayFile("", path)
    if problems:
        raise Failure(problems)
    return found


def destinations(
    program: Program, bindings: Iterable[tuple[str, str]], folder: str | None
) -> dict[str, Tensor]:
    """The files that ``--out`` and ``--out-dir`` ask for; refuses names the program lacks."""
    wanted: dict[str, Tensor] = {}
    problems: list[Problem] = []
    if folder is not None:
        for tensor in program.tensors.values():
            if tensor.role in ("output", "inout"):
                wanted[os.path.join(folder, f"{tensor.name}.npy")] = tensor
    for name, path in bindings:
        known = program.tensors.get(name)
        if known is None:
            hint = did_you_mean(name, program.tensors)
            problems.append(
                Problem("E0805", f"--out: the program has no tensor '{name}'", None, hint)
            )
        elif wanted.get(path, known) is not known:
            problems.append(Problem("E0805", f"--out: two tensors would be written to {path}"))
        else:
            wanted[path] = known
    if problems:
        raise Failure(problems)
    return wanted


def make_folder(folder: str) -> None:
    """Make a folder for results, with those above it."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as problem:
        said = f"cannot make the folder {folder}: {_why(problem)}"
        raise Failure(Problem("E0806", said)) from None


def store(session: Session, wanted: Mapping[str, Tensor]) -> list[dict[str, Any]]:
    """Write tensors to their files; returns what was written where."""
    written = []
    for path, tensor in wanted.items():
        contents = tensor_io.contents(session.machine.addresses, View.whole(tensor))
        array = dtypes.npy_storable(contents, tensor.dtype)

        def save(out: IO[bytes], array: Any = array) -> None:
            np.save(out, np.ascontiguousarray(array), allow_pickle=False)

        replace(path, save)
        written.append(
            {
                "tensor": tensor.name,
                "file": path,
                "dtype": tensor.dtype.name,
                "stored_as": str(array.dtype),
                "shape": list(tensor.shape),
            }
        )
    return written


def trace(session: Session, path: str) -> int:
    """Write the trace of a run; returns how many slices it has."""
    from nasm.report import trace as report

    slices = 0

    def save(out: IO[bytes]) -> None:
        nonlocal slices
        text = io.TextIOWrapper(out, encoding="utf-8", newline="\n")
        slices = report.write(session, text)
        text.flush()
        text.detach()

    replace(path, save)
    return slices


def replace(path: str, save: Callable[[IO[bytes]], None]) -> None:
    """Write a file whole or not at all: beside it first, then under its name.

    What is no ordinary file (a device, a pipe) is written to as it is.
    """
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise Failure(Problem("E0806", f"cannot write {path}: it is a folder"))
    try:
        if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
            held = io.BytesIO()  # NumPy asks for its position, which a pipe has not
            save(held)
            with open(target, "wb") as out:
                out.write(held.getbuffer())
            return
        beside = os.path.join(
            os.path.dirname(target), f".{os.path.basename(target)[:200]}.{os.getpid()}.tmp"
        )
        try:
            with open(beside, "wb") as out:
                save(out)
                out.flush()
            if os.path.exists(target):
                os.chmod(beside, stat.S_IMODE(os.stat(target).st_mode))
            os.replace(beside, target)
        except BaseException:
            if os.path.exists(beside):
                os.unlink(beside)
            raise
    except OSError as problem:
        raise Failure(Problem("E0806", f"cannot write {path}: {_why(problem)}")) from None


def _why(problem: OSError) -> str:
    return problem.strerror or str(problem)
