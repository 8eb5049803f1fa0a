"""The table of instructions: rows made of words, with what executes them where that is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.base.problems import Refused
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.field_kinds import Bits, Field
from nasm.isa.held import Blocked
from nasm.isa.implicit_kinds import FieldOf, Held, Here
from nasm.isa.instruction import Context, OfOperands, Operand, Row, of_operands
from nasm.isa.isa import Isa
from nasm.isa.words import data_row, documented
from nasm.targets.tensix.core.costs import cost
from nasm.targets.tensix.core.starting import Done, started
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.core.waits import waits
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.word import OPCODE, Told, Word

ISA = Isa("tensix")

QUEUES = ("t0", "t1", "t2")
"""The three threads, each of which issues every instruction."""

CORE = Operand("core", Held())
THREAD = Operand("thread", Here("queue"))
"""What every row gets beside its word: the coprocessor, and the number of the thread."""


@of_operands
def issued(_: Context) -> Cost:
    """One instruction a cycle and thread leaves the wait gate."""
    source = "Tenstorrent ISA documentation, Wormhole B0: front end"
    return Cost(1, 1, Evidence.DOCUMENTED, source)


class Family:
    """The rows of a unit, which stand in one module."""

    def __init__(self, module: str) -> None:
        self.module = module

    def row(
        self,
        mnemonic: str,
        semantics: Callable[..., Any] | None = None,
        example: str = "",
        **more: Any,
    ) -> Row:
        """The row of a word. Without semantics it assembles, and refuses to execute.

        The semantics get the coprocessor, the thread, and the fields of the word that they name by
        any of their names. Without an ``example`` it is the mnemonic with two fields. ``more`` is
        handed to :meth:`~nasm.isa.isa.Isa.instruction`.
        """
        word = WORDS[mnemonic]
        executed = _refusing(word) if semantics is None else started(mnemonic, semantics)
        return ISA.instruction(
            *_written(word),
            CORE,
            THREAD,
            Operand("word", _whole(word)),
            engines=QUEUES,
            cost=_cost(word),
            condition=_condition(word),
            source=word.source,
            example=example or _example(word),
            encoding=word.encoding,
            rules=(documented(word.encoding, word.source),),
            vendor={"tt-llk": word.macros, "ISA documentation": _page(word)},
            **more,
        )(_named(word, executed, self.module))


def _cost(word: Word) -> OfOperands[Cost]:
    """What an instruction costs, by its word."""

    def answer(context: Context) -> Cost:
        number = _number(word, context)
        return cost(word.mnemonic, number, QUEUES.index(context.engine))

    return OfOperands((), answer, "cost", "Cycles of its unit, as documents state them.")


def _condition(word: Word) -> OfOperands[Blocked | None]:
    """What keeps it from starting."""

    def answer(context: Context) -> Blocked | None:
        held = context.operands
        return waits(held["core"], held["thread"], word.mnemonic, held["word"])

    return OfOperands(("core", "thread", "word"), answer, "waits")


def _number(word: Word, context: Context) -> int:
    return word.encoding.encode([context.operands[one.name] for one in word.encoding.operands])


def _whole(word: Word) -> FieldOf:
    """The arguments of a word, where they are in it."""
    return FieldOf(Field("word", 0, 24), word.encoding.operands)


def _page(word: Word) -> tuple[str, ...]:
    return (word.page or word.mnemonic,) if word.told is Told.DOCS else ()


def _written(word: Word) -> list[Operand]:
    """The operands of a word, of which semantics get the word."""
    return [
        Operand(
            one.name,
            Bits(one, word.upto.get(one.name, 0)),
            "-",
            default=word.default(one),
            doc=_parts(word, one),
            keyword=True,
        )
        for one in word.encoding.operands
    ]


def _parts(word: Word, operand: Field) -> str:
    """The other names of an operand and of its parts."""
    said = []
    for part in word.encoding.parts.values():
        if part.mask == operand.mask and part.signed == operand.signed:
            said.append(f"or {part.name}")
        elif part.mask & operand.mask:
            said.append(f"{part.name} is {part.where}")
    return ", ".join(said)


def _refusing(word: Word) -> Callable[[Tensix, int, int], Done]:
    """What a row does of which nothing executable is written."""
    if word.told is Told.NAME:
        said = f"{word.mnemonic} has no public semantics: documents give its name and arguments"
        hint = "it can be assembled and disassembled, but not executed"
        code = "E0701"
    else:
        said = f"{word.mnemonic} is not implemented yet"
        hint = "it can be assembled and disassembled, but not executed"
        code = "E0601"

    def refuse(core: Tensix, thread: int, word: int) -> Done:
        raise Refused(code, said, hint)

    return refuse


def _named(word: Word, start: Callable[[Tensix, int, int], Done], module: str) -> Any:
    """What executes it, under the mnemonic, with what the manual says of it."""

    def executed(core: Tensix, thread: int, word: int) -> Done:
        return start(core, thread, word)

    executed.__name__, executed.__module__ = word.mnemonic, module
    executed.__doc__ = (
        f"{word.summary}\n\nIt is executed by the {word.unit.name}; {word.unit.gate}."
    )
    executed.__annotations__ = {"return": Done}
    return executed


def _example(word: Word) -> str:
    """The instruction with the fields that the documentation names, or its operands."""
    forms = word.encoding.forms
    named = [one.name for one in (forms[0].fields if forms else ())]
    if not named:
        fixed = forms[0].mask if forms else 0
        named = [one.name for one in word.encoding.operands if not one.mask & fixed]
    shown = ", ".join(f"{name}=1" for name in named[-2:])
    return f"{word.mnemonic} {shown}".rstrip()


DATA = data_row(__name__, QUEUES, issued(), "a word as it stands in memory")
globals()[DATA.name] = DATA
"""The row of words that are no instruction, to be found by its name."""

__all__ = ["DATA", "ISA", "OPCODE", "Family"]
