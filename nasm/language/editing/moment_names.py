"""Names for moments, for people: what has been made, loaded or stored, or may be written again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from nasm.base.records import dataclass
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.list_kinds import views
from nasm.program.footprint.forms import Form
from nasm.program.footprint.layout import Regions
from nasm.program.footprint.reach import reached
from nasm.program.program import Instruction
from nasm.sync.dependences import OVER
from nasm.views.regions import Region, overlap
from nasm.views.tensor import Tensor
from nasm.views.view import View

_TEMPLATE = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class TouchedPart:
    """A part of a tensor that a line touches."""

    tensor: Tensor
    region: Region
    reads: bool
    writes: bool


def touched(instruction: Instruction, form: Form, regions: Regions) -> list[TouchedPart]:
    """The parts of tensors that an instruction names, in the order of its operands."""
    reads, writes = list(form.reads), list(form.writes)
    if form.moved is not None:
        reads += form.moved.reads
        writes += form.moved.writes
    found = []
    for view in _named(instruction):
        region = reached(regions, view)
        read, written = (any(overlap(region, one) for one in some) for some in (reads, writes))
        found.append(TouchedPart(view.tensor, region, read, written))
    return found


def _named(instruction: Instruction) -> Iterator[View]:
    for operand in instruction.operands:
        if isinstance(operand, DeclaredTransfer):
            yield from (view for pair in operand.moves for view in pair)
        else:
            yield from views(operand)


def reason(first: Iterable[TouchedPart], then: list[TouchedPart]) -> tuple[Tensor | None, bool]:
    """For which tensor one line comes after another, and whether only to write what that read."""
    wrote = [one for one in first if one.writes]
    for reads in (True, False):
        for one in wrote:
            for other in then:
                if (other.reads if reads else other.writes) and overlap(one.region, other.region):
                    return one.tensor, False
    for one in first:
        if one.reads and any(o.writes and overlap(one.region, o.region) for o in then):
            return one.tensor, True
    return None, False


def base(tensor: Tensor) -> str:
    """What a tensor is called where it is declared, without the numbers of loops."""
    written = tensor.name if tensor.span is None else _TEMPLATE.sub("", tensor.span.text)
    return written.strip("_") or tensor.name


def what(tensor: Tensor, kind: int, free: bool) -> str:
    """What has happened to a tensor."""
    if free:
        return "free"
    if kind != OVER:
        return "ready"
    return "stored" if tensor.memory.shared else "loaded"


def called(words: Counter[tuple[str, str]]) -> str:
    """A name for a moment that has been called so in some rounds: what, and what of it.

    Of ``x0`` and ``x1`` it is called ``x``.
    """
    (first, happened), _ = words.most_common(1)[0]
    some = [name for name, other in words if other == happened]
    common = first
    while not all(name.startswith(common) for name in some):
        common = common[:-1]
    if len(some) > 1:
        common = common.rstrip("_0123456789")
    return f"{common or first}_{happened}"


def whole(instruction: Instruction) -> str:
    """The name of a prepared transfer of several moves, which is more than one tensor; or none."""
    for operand in instruction.operands:
        if isinstance(operand, DeclaredTransfer) and len(operand.moves) > 1:
            return operand.name
    return ""
