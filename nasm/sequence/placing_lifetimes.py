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
from nasm.spec.lists import mentioned
from nasm.spec.program import Program


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
    spans: dict[int, list[int]] = {}
    firsts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    at = 0
    for item in items:
        begun, inside = at, set[int]()
        for line in _through(item):
            named = known[line.instruction]
            if named is None:
                named = known[line.instruction] = _named(program, line.instruction)
            for index in named:
                firsts.setdefault(index, at)
                lasts[index] = at
            inside.update(named)
            at += 1
        for index in inside:
            span = spans.setdefault(index, [begun, at - 1])
            span[1] = at - 1
    return {
        index: Life(begin, end, firsts[index], lasts[index])
        for index, (begin, end) in spans.items()
    }


def _named(program: Program, instruction: int) -> tuple[int, ...]:
    operands = program.instructions[instruction].operands
    return tuple({tensor.index for operand in operands for tensor in mentioned(operand)})


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
