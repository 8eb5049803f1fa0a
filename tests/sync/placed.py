"""Programs in sequential order that only mention tensors, in memories that are made up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from nasm.base.dtypes import find
from nasm.base.problems import Problem
from nasm.base.source import Source, Span
from nasm.program.program import Instruction, Program, QueueProgram
from nasm.sync import lines
from nasm.sync.lines import Item, Line, Loop
from nasm.sync.live_ranges import Life, lifetimes
from nasm.sync.placement import place
from nasm.targets import TARGETS
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View

PLAIN = Memory("plain", partitions=128, size=100, align=4, summary="", source="made up")
BANKED = Memory("banked", partitions=128, size=256, bank=64, align=4, summary="", source="made up")
LINEAR = Memory("linear", 0, 0, "", "made up", align=64, shared=True, io=True)

Text = Sequence["tuple[Tensor, ...] | Writes | list[Any]"]
"""Instructions by the tensors they read, or write; a list of such is a loop."""


class Writes(NamedTuple):
    """An instruction that writes part of a tensor, by rows and columns, and reads others."""

    tensor: Tensor
    reads: tuple[Tensor, ...] = ()
    rows: slice = slice(None)
    columns: slice = slice(None)

    @property
    def named(self) -> tuple[Tensor, ...]:
        """The tensors that it mentions."""
        return (self.tensor, *self.reads)


def tensor(
    name: str,
    size: int,
    memory: Memory = PLAIN,
    *,
    rows: int = 128,
    at: tuple[int, int] | None = None,
    core: int = 0,
    role: str = "",
    init: object = None,
) -> Tensor:
    """A tensor of so many bytes per partition; ``at`` is a place the program chose."""
    dtype = find("uint8")
    assert dtype is not None
    shape = (rows, size) if memory.partitions else (size,)
    made = Tensor(name, memory, dtype, shape, role=role, init=init, core=core)
    if at is not None:
        made.partition, made.offset, made.fixed = *at, True
    return made


def program(
    cores: Sequence[Text], tensors: Sequence[Tensor] = ()
) -> tuple[Program, lines.Sequence]:
    """Tensors are declared as they are given, then those that are mentioned besides."""
    every = dict.fromkeys([*tensors, *(t for text in cores for t in _mentioned(text))])
    target = TARGETS["trn2"]()
    made = Program(target, target.generations[-1], {t.name: t for t in every}, len(cores))
    made.queues.append(QueueProgram(0, "vector"))
    for index, one in enumerate(every):
        one.index = index
    source = Source("kernel.py", "line\n" * 1000)
    return made, lines.Sequence([list(_items(made, source, text)) for text in cores])


def refused(cores: Sequence[Text], tensors: Sequence[Tensor] = ()) -> list[Problem]:
    """Place tensors; what does not fit."""
    return place(*program(cores, tensors))


def lives(text: Text) -> dict[str, Life]:
    """When tensors are alive, by name."""
    made, sequence = program([text])
    found = lifetimes(made, sequence.cores[0])
    return {t.name: found[t.index] for t in made.tensors.values()}


def offsets(text: Text, *tensors: Tensor, cores: Sequence[Text] = ()) -> list[int | None]:
    """Where tensors are placed, those that are given."""
    assert refused([text, *cores], tensors) == []
    return [t.offset for t in tensors]


def _mentioned(text: Text) -> Iterator[Tensor]:
    for part in text:
        if isinstance(part, list):
            yield from _mentioned(part)
        else:
            yield from part.named if isinstance(part, Writes) else part


def _items(made: Program, source: Source, text: Text) -> Iterator[Item]:
    row = made.target.isa.rows["Reciprocal"]  # dst, which is written, and data, which is read
    for part in text:
        at = source.offset(len(made.spans))
        made.spans.append(Span(source, at, at + 4))
        number = len(made.instructions)
        span = len(made.spans) - 1
        if isinstance(part, list):
            made.instructions += [Instruction(row, (None, ())), Instruction(row, (None, ()))]
            body = list(_items(made, source, part))
            yield Loop("head", "end", {0: number}, {0: number + 1}, body=body, span=span)
        else:
            into, reads = None, part
            if isinstance(part, Writes):
                into = View.whole(part.tensor).index([part.rows, part.columns])
                reads = part.reads
            made.instructions.append(Instruction(row, (into, tuple(map(View.whole, reads)))))
            yield Line(0, number, span)
