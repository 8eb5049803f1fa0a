"""What of two programs is the same if one is the other's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from nasm.base.source import Source
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.language.assemble import assemble
from nasm.language.printing import text
from nasm.program.program import Instruction, Program
from nasm.targets import TARGETS
from nasm.views.tensor import Tensor
from nasm.views.view import Offsets, View


def plain(value: object) -> object:
    """A value with names in the place of tensors, and without its places in texts."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Instruction):
        return value.row.name, plain(value.operands)
    if isinstance(value, float):
        return "float", repr(value)
    if isinstance(value, View):
        return value.tensor.name, *(plain(getattr(value, n)) for n in _names(View) if n != "tensor")
    if isinstance(value, Tensor | Offsets | DeclaredTransfer):
        return {n: plain(getattr(value, n)) for n in _names(type(value)) if n not in _APART}
    return value


_APART = ("span", "_elements", "block")  # a block is written as the places of its tensors


def _names(kind: Any) -> list[str]:
    return [f.name for f in fields(kind)]


def parts(program: Program) -> Iterator[tuple[str, object]]:
    """All that a program is, by name, but for spans, warnings and what expectations are made of."""
    yield "machine", program.generation.name
    yield "cores", program.cores
    for tensor in program.tensors.values():
        yield tensor.name, plain(tensor)
    yield "order of tensors", list(program.tensors)
    yield "semaphores", program.semaphores
    yield "events", program.events
    yield "transfers", plain(program.transfers)
    yield "constants", plain(program.constants)
    yield "expectations", len(program.expectations)
    for number, queue in enumerate(program.queues):
        name = program.queue_name(number)
        yield f"labels of {name}", queue.labels
        columns = zip(queue.instructions, queue.waits, queue.updates, strict=True)
        for pc, (instruction, wait, update) in enumerate(columns):
            line = program.instructions[instruction], program.waits[wait], program.updates[update]
            yield f"{name} {pc}", plain(line)


def again(program: Program, printed: str, folder: str = "") -> Program:
    """A printed text assembled for the machine of the program that it is of."""
    name = f"{folder}/printed.nasm" if folder else "printed"
    return assemble(Source(name, printed), TARGETS, options=program.chosen)


def round_trip(program: Program, folder: str = "") -> Program:
    """Print and assemble a program, and compare: it is the same, and so is its text."""
    printed = text(program, folder=folder, remark=None)
    made = again(program, printed, folder)
    for had, got in zip(parts(program), parts(made), strict=True):
        assert got == had
    assert text(made, folder=folder, remark=None) == printed
    return made
