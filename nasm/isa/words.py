"""Instruction words: from rows with operands to integers and back, and words that are none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.evidence import Cost
from nasm.isa.field_kinds import Bits, Encoding, Field
from nasm.isa.instruction import InstructionContext, OfOperands, Operand, Row, Rule
from nasm.isa.isa import Isa
from nasm.isa.kinds import Flag

WORD = ".word"
"""The line of a program that gives an instruction by its word."""

NO_INSTRUCTION = "E0323"
"""The code of a word that is no instruction."""

VALUE, DATA = "value", "data"


@dataclass(frozen=True, slots=True)
class Spelling:
    """Another form in which words are found: what makes it of a word, and the word of it."""

    summary: str
    made: Callable[[int], int]
    read: Callable[[int], int]


@dataclass(frozen=True)
class Words:
    """The words of the instructions of a generation.

    ``opcode`` is the field that tells rows apart; ``data`` is the row of words that are to stay as
    they are, ``spellings`` are other forms of words by name.
    """

    instructions: Iterable[Row]
    opcode: Field
    data: Row
    spellings: Mapping[str, Spelling]
    bits: int = 32

    @cached_property
    def rows(self) -> Mapping[int, Row]:
        """The rows that have words, by opcode."""
        found: dict[int, Row] = {}
        for row in self.instructions:
            if row.encoding is None:
                continue
            if row.encoding.code in found:
                raise TypeError(f"{found[row.encoding.code].name} and {row.name} have one opcode")
            found[row.encoding.code] = row
        return found

    def has(self, row: Row) -> bool:
        """Whether instructions of a row have words: those of engines that push others need not."""
        return row is self.data or row.encoding is not None

    def encode(self, row: Row, operands: Sequence[object]) -> int:
        """The word of an instruction, whose operands are those of the row in its order."""
        return encoded(row, operands)

    def reason(self, word: int) -> str:
        """Why a word is no instruction; empty if it is one."""
        row = self.rows.get(self.opcode.get(word))
        if row is None:
            return f"no instruction has the opcode {self.opcode.get(word):#04x}"
        assert row.encoding is not None
        wrong = row.encoding.wrong(word)
        return f"{row.name}: {wrong}" if wrong else ""

    def decode(self, word: int) -> tuple[Row, tuple[object, ...]]:
        """The instruction of a word; raises Refused with the reason if it is none."""
        reason = self.reason(word)
        if reason:
            raise Refused(NO_INSTRUCTION, f"{word:#010x} is no instruction: {reason}", _KEEP)
        row = self.rows[self.opcode.get(word)]
        assert row.encoding is not None
        values = iter(row.encoding.decode(word))
        return row, tuple(None if o.implicit else next(values) for o in row.operands)

    def kept(self, word: int) -> tuple[Row, tuple[object, ...]]:
        """A word that stays as it is, whatever it is."""
        return self.data, (word, True)


_KEEP = f"to keep it as it is, which nothing executes, write {DATA}=true after it"


def encoded(row: Row, operands: Sequence[object]) -> int:
    """The word of an instruction, whose operands are those of the row in its order.

    That of a row without an encoding is what was given as a word.
    """
    if row.encoding is None:
        value = operands[row.position[VALUE]]
        assert isinstance(value, int)
        return value
    return row.encoding.encode(_integers(row, operands))


def _integers(row: Row, operands: Sequence[object]) -> list[int]:
    made = []
    for at, _ in row.places:
        value = operands[at]
        assert isinstance(value, int)
        made.append(value)
    return made


def documented(encoding: Encoding, source: str) -> Rule:
    """The rule that the word of an instruction has no bits of which nothing is known."""

    def check(context: InstructionContext) -> str | None:
        values = [context.operands[o.name] for o in context.row.written]
        return encoding.wrong(encoding.encode(values)) or None

    names = tuple(f.name for f in encoding.operands)
    return Rule(NO_INSTRUCTION, "only bits that are documented are set", source, check, names=names)


def data_row(
    module: str, engines: tuple[str, ...], cost: OfOperands[Cost], source: str, bits: int = 32
) -> Row:
    """The row of words that are no instruction: they have a place in a queue, and no meaning.

    ``module`` is where it can be found under the name that rows of it have, :data:`WORD`.
    """

    def word(value: int, data: bool) -> None:
        """A word as it is: decoded, or with data=true kept although it is no instruction."""
        message = f"the word {value:#010x} is no instruction"
        raise Refused("E0701", message, "it was kept with data=true: let nothing lead there")

    word.__name__, word.__module__ = WORD, module
    return Isa(WORD).instruction(
        Operand(VALUE, Bits(Field(VALUE, 0, bits))),
        Operand(DATA, Flag(), default=False),
        engines=engines,
        cost=cost,
        source=source,
        example=f"{WORD} 0, {DATA}=true",
    )(word)
