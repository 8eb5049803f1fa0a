"""From where to where a tensor is alive: instructions of one core, in the order of their meaning.

A tensor is alive from the first instruction that mentions it to the last. One that is mentioned in
a loop is alive for all of it, the outermost one that is around: what the next time round reads of
it must still be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from nasm.sequence.lines import Item, Line, Loop
from nasm.source import Span
from nasm.spec.declared_transfer import DeclaredTransfer
from nasm.spec.lists import mentioned
from nasm.spec.program import Instruction, Program
from nasm.spec.view import View


class Life(NamedTuple):
    """Instructions, counted from 0: alive from ``begin`` to ``end``, both included.

    ``first`` and ``last`` are those that mention it.
    """

    begin: int
    end: int
    first: int
    last: int

    def meets(self, other: Life) -> bool:
        """Whether there is an instruction at which both are alive."""
        return self.begin <= other.end and other.begin <= self.end


BEFORE = -1
"""When what is there before the program begins to live."""

FOREVER = 1 << 62
"""Behind every instruction."""


def lifetimes(program: Program, items: Iterable[Item]) -> dict[int, Life]:
    """When tensors are alive that a core's instructions mention, by the index of the tensor."""
    known: list[tuple[int, ...] | None] = [None] * len(program.instructions)
    begins: dict[int, int] = {}
    firsts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    within: dict[int, int] = {}
    behind: list[int] = []
    at = 0
    for number, item in enumerate(items):
        begun = at
        for line in (item,) if isinstance(item, Line) else _through(item):
            named = known[line.instruction]
            if named is None:
                named = known[line.instruction] = _named(program.instructions[line.instruction])
            for index in named:
                if index not in firsts:
                    begins[index], firsts[index] = begun, at
                lasts[index], within[index] = at, number
            at += 1
        behind.append(at)
    return {
        index: Life(begins[index], behind[within[index]] - 1, first, lasts[index])
        for index, first in firsts.items()
    }


def _named(instruction: Instruction) -> tuple[int, ...]:
    """The indices of the tensors that an instruction mentions."""
    kinds = View, tuple, DeclaredTransfer
    named = [operand for operand in instruction.operands if isinstance(operand, kinds)]
    return tuple([tensor.index for operand in named for tensor in mentioned(operand)])


def _through(item: Item) -> Iterator[Line]:
    """Every instruction of an item, each once: those of a loop's body and those that make it go."""
    if not isinstance(item, Loop):
        yield item
        return
    yield from _control(item, item.leave.items())
    for inner in item.body:
        yield from _through(inner)
    yield from _control(item, ((queue, n) for queue, all_of in item.step.items() for n in all_of))
    yield from _control(item, item.back.items())


def _control(loop: Loop, numbers: Iterable[tuple[int, int]]) -> Iterator[Line]:
    return (Line(queue, number, loop.span, loop.chain) for queue, number in numbers)


def written(program: Program, items: Iterable[Item]) -> list[Span | None]:
    """Where each instruction is written."""
    found: list[Span | None] = []
    for item in items:
        for line in _through(item):
            span = program.spans[line.span]
            found.append(span and span.within(program.chains[line.chain]))
    return found
