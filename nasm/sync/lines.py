"""A program in sequential order: each instruction means what it does after all before it.

Such a program has no waits and no updates yet. Its instructions are in the builder's table; they
are appended to the queues when all waits are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nasm.base.records import dataclass, field


class Line(NamedTuple):
    """An instruction of a queue: numbers of the program's queues, instructions and places."""

    queue: int
    instruction: int
    span: int = 0
    chain: int = 0


@dataclass(slots=True)
class Loop:
    """Lines that are executed again and again, decided at run time; there is one copy of them.

    Every queue of ``leave`` goes through it, with a counter of its own. At the label ``head`` it
    executes the instruction ``leave``, which branches to the label ``end`` when the loop is done,
    then its part of ``body``, then those of ``step`` and ``back``, which branches to ``head``.
    """

    head: str
    end: str
    leave: dict[int, int]
    back: dict[int, int]
    step: dict[int, tuple[int, ...]] = field(default_factory=dict)
    body: list[Item] = field(default_factory=list)
    span: int = 0
    chain: int = 0


Item = Line | Loop


@dataclass(slots=True)
class Sequence:
    """The lines of each core, in the order of their meaning.

    Cores run side by side: what orders one's accesses and another's is written in the program,
    as instructions at which they meet.
    """

    cores: list[list[Item]] = field(default_factory=list)


def lines(items: list[Item]) -> Iterator[Line]:
    """Every line, those of loops once."""
    for item in items:
        if isinstance(item, Loop):
            yield from lines(item.body)
        else:
            yield item
