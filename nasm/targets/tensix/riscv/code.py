"""The code of a core: its lines as words at addresses, each decoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from nasm.base.problems import Failure, Refused
from nasm.base.source import Span
from nasm.isa.core_state import EngineLines
from nasm.targets.tensix.riscv.decode import DecodedWord, decode_on
from nasm.targets.tensix.riscv.interpreter import Step, private_step
from nasm.targets.tensix.state import U8

IRAM: Final = 0xFFC00000
"""Where the instruction memory of NC begins."""

Address = Callable[[str], int]
"""The address of a label."""

WordsOf = Callable[[Mapping[str, Any], int, Address], list[int]]
"""The words of a line, by its operands, at an address; raises Refused where a label is too far."""


class LineForm(NamedTuple):
    """How many bytes a line has, by its operands, and its words; it may be ``data``.

    One that ``ends`` is after the last line; one with an ``origin`` says where it is itself.
    """

    size: Callable[[Mapping[str, Any]], int]
    words: WordsOf
    data: bool = False
    ends: bool = False
    origin: Callable[[Mapping[str, Any]], int] | None = None


FORMS: Final[dict[str, LineForm]] = {}
"""By row, how its lines become words."""


class CodeLine(NamedTuple):
    """A line: its address, what it executes, and the step of each that reaches only registers.

    Data has nothing to execute; at one that ``ends`` the core is at its end.
    """

    address: int
    words: tuple[int, ...]
    decoded: tuple[DecodedWord, ...]
    steps: tuple[Step | None, ...]
    ends: bool = False


class RiscCode:
    """The code of one core, whose first line is at an address; raises Failure for bad lines."""

    def __init__(self, lines: EngineLines, base: int, generation: str) -> None:
        self.queue, self.base, self.source = lines.queue, base, lines
        self.generation = generation
        self.given = [_given(lines, pc) for pc in range(len(lines))]
        self.addresses: list[int] = []
        self.end = base
        for pc in range(len(lines)):
            self._place(lines, pc)
        self.labels = {
            name: self.addresses[pc] if pc < len(lines) else self.end
            for name, pc in lines.labels.items()
        }
        self.lines = [self._line(lines, pc) for pc in range(len(lines))]
        self.quick: list[Any] = []
        self.at: dict[int, int] = {}
        self.words: dict[int, int] = {}
        for pc, line in enumerate(self.lines):
            self._enter(lines, pc, line)

    def _place(self, lines: EngineLines, pc: int) -> None:
        """Decide where a line is, after the one before it or where it says; raises Failure."""
        form, operands = self.given[pc]
        try:
            if form.origin is not None:
                self.end = form.origin(operands)
            self.addresses.append(self.end)
            self.end += form.size(operands)
        except Refused as refused:
            raise Failure(refused.at(lines.span(pc))) from None

    def _line(self, lines: EngineLines, pc: int) -> CodeLine:
        (form, operands), address = self.given[pc], self.addresses[pc]
        try:
            words = tuple(form.words(operands, address, self.labels.__getitem__))
        except Refused as refused:
            raise Failure(refused.at(lines.span(pc))) from None
        if form.data:
            return CodeLine(address, words, (), (), form.ends)
        decoded = [decode_on(self.generation, word) for word in words]
        steps = [
            None if one is None else private_step(one, address + 4 * at)
            for at, one in enumerate(decoded)
        ]
        return CodeLine(address, words, tuple(one for one in decoded if one), tuple(steps))

    def _enter(self, lines: EngineLines, pc: int, line: CodeLine) -> None:
        """Note where a line is; raises Failure where another one is."""
        if line.words:
            self.at[line.address] = pc
        for address, word in enumerate_words(line):
            if address in self.words:
                message = f"another line is at {address:#x} already"
                raise Failure(Refused("E0301", message).at(lines.span(pc)))
            self.words[address] = word

    def pc_at(self, address: int) -> int:
        """The line at an address; raises Refused where none begins."""
        found = self.at.get(address)
        if found is not None:
            return found
        if address == self.end:
            return len(self.lines) - 1
        message = f"it jumps to {address:#x}, where the core has no line"
        first, last = min(self.words, default=0), max(self.words, default=0)
        hint = f"its lines are from {first:#x} to {last + 3:#x}"
        if address & 3:
            message = f"it jumps to {address:#x}, which is not a multiple of 4"
        raise Refused("E0701", message, hint)

    def span(self, address: int) -> Span | None:
        """Where the line at an address is written."""
        return self.source.span(self.at[address]) if address in self.at else None

    def image(self) -> Iterator[tuple[int, U8]]:
        """The bytes of lines that follow one another, each with the address of the first."""
        words: list[int] = []
        first = self.base
        for line in self.lines:
            if line.address != first + 4 * len(words):
                yield first, _bytes(words)
                words, first = [], line.address
            words += line.words
        yield first, _bytes(words)

    def place_of(self, address: int) -> str:
        """An address by the label before it: ``loop+8``; empty if there is none."""
        before = [(at, name) for name, at in self.labels.items() if at <= address]
        if not before:
            return ""
        at, name = max(before)
        return f"{name}+{address - at}" if address > at else name


def enumerate_words(line: CodeLine) -> Iterator[tuple[int, int]]:
    """The words of a line with their addresses."""
    return ((line.address + 4 * at, word) for at, word in enumerate(line.words))


def _given(lines: EngineLines, pc: int) -> tuple[LineForm, Mapping[str, Any]]:
    instruction = lines.instruction(pc)
    row = instruction.row
    operands = zip(row.operands, instruction.operands, strict=True)
    return FORMS[row.name], {operand.name: value for operand, value in operands}


def _bytes(words: list[int]) -> U8:
    return np.array(words, "<u4").view(np.uint8)
