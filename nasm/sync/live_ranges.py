"""From where to where a tensor is alive: instructions of one core, in the order of their meaning.

A tensor is alive from the first instruction that mentions it to the last. One that is mentioned in
a loop alone is alive in each round from the first instruction of the body to the last one, of the
innermost loop that has all of them, where a loop in it counts as one instruction. But if a round
may read what it has not written itself, what the rounds before have left must still be there: then
the tensor is alive for all of the outermost loop. So is one that is mentioned elsewhere too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.list_kinds import mentioned
from nasm.program.program import Instruction, Program
from nasm.sync.lines import Item, Line, Loop
from nasm.sync.loop_reads import Covering
from nasm.views.view import View


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
"""After every instruction."""


@dataclass(slots=True)
class _Round:
    """A loop, from its first instruction to its last one; ``around`` are the loops it is in."""

    begin: int
    around: tuple[_Round, ...]
    end: int = 0


@dataclass(slots=True)
class _Mentions:
    """The first and the last mention of a tensor, and the loops that are around each.

    ``home`` are the loops that are around all mentions, the outermost first.
    """

    first: int
    opened: tuple[_Round, ...]
    home: tuple[_Round, ...]
    last: int
    closed: tuple[_Round, ...]


def lifetimes(program: Program, items: Iterable[Item]) -> dict[int, Life]:
    """When tensors are alive that a core's instructions mention, by the index of the tensor."""
    reader = _Reader(program)
    reader.read(items, ())
    found = {}
    for index, one in reader.mentions.items():
        outside = () if index in reader.carried else one.home
        begin, end = one.first, one.last
        if len(one.opened) > len(outside):
            begin = one.opened[len(outside)].begin
        if len(one.closed) > len(outside):
            end = one.closed[len(outside)].end
        found[index] = Life(begin, end, one.first, one.last)
    return found


class _Reader:
    """Reads the items of one core: who mentions a tensor, and what rounds of loops leave it.

    ``carried`` are the tensors of which a round may read what it has not written itself.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.at = program, 0
        self.mentions: dict[int, _Mentions] = {}
        self.carried: set[int] = set()
        self._named: dict[int, list[int]] = {}
        self._covering = Covering(program)

    def read(self, items: Iterable[Item], around: tuple[_Round, ...]) -> None:
        """Read items in order, inside of some loops."""
        for item in items:
            if isinstance(item, Line):
                self._line(item, around)
                continue
            inside = (*around, _Round(self.at, around))
            written = self._covering.enter()
            self._lines(_control(item, item.leave.items()), inside)
            self.read(item.body, inside)
            self._lines(_after_body(item), inside)
            inside[-1].end = self.at - 1
            self._covering.leave(written)

    def _lines(self, lines: Iterable[Line], around: tuple[_Round, ...]) -> None:
        for line in lines:
            self._line(line, around)

    def _line(self, line: Line, around: tuple[_Round, ...]) -> None:
        number = line.instruction
        named = self._named.get(number)
        if named is None:
            named = self._named[number] = _named(self.program.instructions[number])
        for index in named:
            found = self.mentions.get(index)
            if found is None:
                self.mentions[index] = _Mentions(self.at, around, around, self.at, around)
            else:
                if found.home != around:
                    found.home = _shared(found.home, around)
                found.last, found.closed = self.at, around
        if around:
            self.carried.update(self._covering.uncovered(line))
        self.at += 1


def _shared(some: tuple[_Round, ...], others: tuple[_Round, ...]) -> tuple[_Round, ...]:
    """The loops that are around two instructions."""
    count = sum(1 for one, other in zip(some, others, strict=False) if one is other)
    return some[:count]


def _named(instruction: Instruction) -> list[int]:
    """The indices of the tensors that an instruction mentions."""
    found: list[int] = []
    for operand in instruction.operands:
        kind = type(operand)
        if kind in _PLAIN:
            continue
        if kind is View and operand.offsets is None:  # type: ignore[attr-defined]
            found.append(operand.tensor.index)  # type: ignore[attr-defined]
        elif kind is View or kind is tuple or kind is DeclaredTransfer:
            found += [tensor.index for tensor in mentioned(operand)]
    return found


_PLAIN = frozenset({type(None), bool, float, int, str})
"""Operands that mention no tensor."""


def _through(item: Item) -> Iterator[Line]:
    """Every instruction of an item, each once: those of a loop's body and those that make it go."""
    if not isinstance(item, Loop):
        yield item
        return
    yield from _control(item, item.leave.items())
    for inner in item.body:
        yield from _through(inner)
    yield from _after_body(item)


def _after_body(loop: Loop) -> Iterator[Line]:
    """What makes a loop continue after its body."""
    yield from _control(loop, ((queue, n) for queue, all_of in loop.step.items() for n in all_of))
    yield from _control(loop, loop.back.items())


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
