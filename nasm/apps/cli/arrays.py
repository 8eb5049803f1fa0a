"""What ``--in`` fills a tensor with: an array file, or values that are made."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from nasm.base import array_files, dtypes
from nasm.base.array_files import ArrayFile
from nasm.base.problems import Failure, Problem, Refused, did_you_mean, in_line, listed, quoted
from nasm.machine.inputs import ROLES, InFolder, Inputs, Made, in_folder
from nasm.program.initializers import array_of
from nasm.program.program import Program

Array = np.ndarray[Any, Any]

KINDS = ("zeros", "ones", "iota", "random", "normal")
"""Values that are made; all but ones are initialisers of the language."""

_MADE = re.compile(r"(?P<kind>[a-z]\w*)\[(?P<shape>[^\]]*)\](?P<rest>(:[^:]+)*)")
_SHAPELESS = re.compile(rf"(?P<kind>{'|'.join(KINDS)})(?P<rest>(:[^:]+)*)")
WRONG = "E0803"


def given(bindings: Iterable[tuple[str, str]]) -> dict[str, ArrayFile | Array | Made]:
    """What ``--in NAME=…`` says of each name; files are read when the program is loaded.

    The seed of values drawn at random is the number of their ``--in`` by default.
    """
    found: dict[str, ArrayFile | Array | Made] = {}
    problems: list[Problem] = []
    for number, (name, text) in enumerate(bindings, 1):
        if name in found:
            problems.append(Problem(WRONG, f"--in {name} is given twice"))
        try:
            made = _made(text, number)
        except Refused as refused:
            problems.append(
                Problem(refused.code, f"--in {name}: {refused.message}", None, refused.hint)
            )
            continue
        found[name] = _file(text) if made is None else made
    if problems:
        raise Failure(problems)
    return found


def inputs(args: argparse.Namespace) -> Inputs:
    """What the command line gives of inputs; raises Failure."""
    found = given(args.inputs)
    return found if args.in_dir is None else InFolder(args.in_dir, found)


def taken(program: Program, folder: str, others: Collection[str]) -> list[str]:
    """Which inputs --in-dir fills, and which nothing does, as lines; ``others`` are filled by --in.

    Raises Failure.
    """
    names = [n for n in in_folder(program, folder) if n not in others]
    wanted = [t for t in program.tensors.values() if t.role in ROLES]
    none = [t.name for t in wanted if t.name not in names and t.name not in others]
    text = [f"read {listed(names, 'and')} from {in_line(folder)}"] if names else []
    if none:
        text.append(f"{in_line(folder)} has no file for {listed(none, 'and')}")
    return text


def read(bindings: Iterable[tuple[str, str]]) -> dict[str, Array]:
    """The same as arrays; the dtype of a file's elements may follow its name."""
    plain = [(name, *_typed(text)) for name, text in bindings]
    found = given((name, text) for name, text, _ in plain)
    arrays: dict[str, Array] = {}
    for name, _, dtype in plain:
        value = found[name]
        try:
            if isinstance(value, ArrayFile):
                value = _as(
                    array_files.read_array(value, lambda shape, of: None, pipes=True), dtype
                )
            elif isinstance(value, Made):
                kind = value.init[0]
                message = f"--in {name}={kind} says no shape, and a kernel's arguments have none"
                raise Refused(WRONG, message, f"such as {kind}[128,512]:bf16")
        except Refused as refused:
            raise Failure(refused.at(None)) from None
        arrays[name] = value
    return arrays


def initialiser(text: str, number: int) -> Any:
    """What a declaration says of a tensor that ``--in`` fills; None if nothing says it."""
    match = _MADE.fullmatch(text)
    if match is None:
        plain, _ = _typed(text)
        return _file(plain) if plain.endswith(".npy") or ".npz:" in plain else None
    kind = match["kind"]
    if kind in ("random", "normal"):
        message = [part for part in match["rest"].split(":") if part.startswith("seed=")]
        return kind, int(message[-1].removeprefix("seed=")) if message else number
    return None if kind == "ones" else (kind,)


def file(name: str, folder: str) -> ArrayFile:
    """A file of an array, as a text in a folder names it."""
    return ArrayFile(folder, name)


def _file(text: str) -> ArrayFile:
    file, _, key = text.rpartition(":")
    return ArrayFile("", file, key) if file.endswith(".npz") else ArrayFile("", text)


def _typed(text: str) -> tuple[str, str]:
    """A file and the dtype of its elements, empty if none is given."""
    file, _, dtype = text.rpartition(":")
    if file.endswith(".npy") or (".npz:" in file and dtypes.find(dtype)):
        return file, dtype
    return text, ""


def _as(array: Array, name: str) -> Array:
    """Elements as those of a dtype that .npy has no name for."""
    if not name:
        return array
    dtype = _dtype(name)
    if array.dtype.itemsize != dtype.itemsize:
        text = f"elements of {array.dtype} as {dtype}: they have {array.dtype.itemsize} bytes"
        raise Refused("E0801", f"{text}, wanted {dtype.itemsize}")
    return np.ascontiguousarray(array).view(dtype.numpy)


def _shapeless(text: str, number: int) -> Made | None:
    """Values to be made in the shape and dtype of a tensor; None if a text says nothing such."""
    match = _SHAPELESS.fullmatch(text)
    if match is None:
        return None
    kind, seed = match["kind"], number
    for part in match["rest"].split(":")[1:]:
        if not part.startswith("seed="):
            message = f"'{quoted(part)}' is no seed: the dtype is the tensor's own"
            raise Refused(WRONG, message, f"such as {kind}:seed=7")
        seed = _number(part.removeprefix("seed="), "seed")
    return Made((kind, seed) if kind in ("random", "normal") else (kind,))


def _made(text: str, number: int) -> Array | Made | None:
    """The values that a text says how to make; None if it names a file."""
    if (made := _shapeless(text, number)) is not None:
        return made
    match = _MADE.fullmatch(text)
    if match is None or text.endswith((".npy", ".npz")):
        return None
    kind = match["kind"]
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS) or f"what can be made are {', '.join(KINDS)}"
        raise Refused(WRONG, f"no values '{quoted(kind)}'", hint)
    dtype, seed = _dtype("f32"), number
    for part in match["rest"].split(":")[1:]:
        if part.startswith("seed="):
            seed = _number(part.removeprefix("seed="), "seed")
        else:
            dtype = _dtype(part)
    shape = tuple(_number(size, "size") for size in match["shape"].split(","))
    if kind == "ones":
        return dtypes.convert_float64(np.ones(shape), dtype)
    init = (kind, seed) if kind in ("random", "normal") else (kind,)
    return array_of(init, dtype, shape)


def _number(text: str, what: str) -> int:
    if not text.strip().isdecimal():
        message = f"'{quoted(text)}' is no {what}"
        raise Refused(WRONG, message, "such as normal[128,512]:bf16:seed=7")
    return int(text)


def _dtype(name: str) -> dtypes.DType:
    found = dtypes.find(name.strip())
    if found is None:
        hint = did_you_mean(name, dtypes.names()) or "such as f32, bf16, int32"
        raise Refused(WRONG, f"no dtype '{quoted(name)}'", hint)
    return found
