"""The table of instructions: rows made of words, with what executes them where that is written."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nasm.problems import Refused
from nasm.spec.evidence import Cost, Evidence
from nasm.spec.fields import Bits, Field
from nasm.spec.implicit_operands import FieldOf, Held, Here
from nasm.spec.instruction import Context, OfOperands, Operand, Row, of_operands
from nasm.spec.isa import Isa
from nasm.spec.kinds import Kind
from nasm.spec.words import data_row, documented
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.word import OPCODE, Told, Word

ISA = Isa("tensix")

QUEUES = ("t0", "t1", "t2")
"""The three threads, each of which issues every instruction."""

IMPLICIT: Mapping[str, Kind] = {"core": Held(), "thread": Here("queue")}
"""What semantics may ask for beside fields, by the names of their parameters."""


@of_operands
def issued(_: Context) -> Cost:
    """One instruction a cycle and thread leaves the wait gate; what the unit takes is left out."""
    source = (
        "Tenstorrent ISA documentation, Wormhole B0, on the wait gate; that this is all: assumed"
    )
    return Cost(1, 1, Evidence.ASSUMED, source)


class Family:
    """The rows of a unit, which stand in one module."""

    def __init__(self, module: str) -> None:
        self.module = module

    def row(
        self,
        mnemonic: str,
        semantics: Callable[..., Any] | None = None,
        cost: OfOperands[Cost] | None = None,
        **more: Any,
    ) -> Row:
        """The row of a word. Without semantics it assembles, and refuses to execute.

        The parameters of the semantics are fields of the word by any of their names, each of which
        is handed as a number (those that are operands in the order of the row), or names of
        :data:`IMPLICIT`. ``more`` is handed to
        :meth:`~nasm.spec.isa.Isa.instruction`.
        """
        word = WORDS[mnemonic]
        executed = _refusing(word) if semantics is None else semantics
        takes = tuple(inspect.signature(executed).parameters)
        return ISA.instruction(
            *_operands(word, takes),
            engines=QUEUES,
            cost=issued() if cost is None else cost,
            source=word.source,
            example=_example(word),
            encoding=word.encoding,
            rules=(documented(word.encoding, word.source),),
            vendor={"tt-llk": word.macros, "ISA documentation": _page(word)},
            **more,
        )(_named(word, executed, self.module))


def _page(word: Word) -> tuple[str, ...]:
    return (word.page or word.mnemonic,) if word.told is Told.DOCS else ()


def _operands(word: Word, takes: tuple[str, ...]) -> Iterator[Operand]:
    """The operands of a word in their order, and between them what the semantics ask for else."""
    left = list(word.encoding.operands)
    names = [one.name for one in left]
    for name in takes:
        if name in IMPLICIT:
            yield Operand(name, IMPLICIT[name])
        elif name not in names:
            yield Operand(name, _part(word, name))
        else:
            while left[0].name != name:
                yield _operand(word, left.pop(0), "-")
            yield _operand(word, left.pop(0), "r")
    for one in left:
        yield _operand(word, one, "-")


def _operand(word: Word, one: Field, access: str) -> Operand:
    return Operand(
        one.name,
        Bits(one, word.upto.get(one.name, 0)),
        access,
        default=word.default(one),
        doc=_parts(word, one),
        keyword=True,
    )


def _parts(word: Word, operand: Field) -> str:
    """The other names of an operand and of its parts."""
    said = []
    for part in word.encoding.parts.values():
        if part.mask == operand.mask and part.signed == operand.signed:
            said.append(f"or {part.name}")
        elif part.mask & operand.mask:
            said.append(f"{part.name} is {part.where}")
    return ", ".join(said)


def _part(word: Word, name: str) -> FieldOf:
    part = word.encoding.parts.get(name)
    if part is None:
        known = ", ".join(one.name for one in word.encoding.fields())
        raise TypeError(f"the word of {word.mnemonic} has no field {name}; it has {known}")
    from_ = tuple(one for one in word.encoding.operands if one.mask & part.mask)
    return FieldOf(part, from_)


def _refusing(word: Word) -> Callable[[], None]:
    """What a row does of which nothing executable is written."""
    if word.told is Told.NAME:
        said = f"{word.mnemonic} has no public semantics: documents give its name and arguments"
        hint = "it can be assembled and disassembled; let no thread come there"
        code = "E0701"
    else:
        said = f"what {word.mnemonic} does is not written yet"
        hint = "it can be assembled and disassembled"
        code = "E0601"

    def refuse() -> None:
        raise Refused(code, said, hint)

    return refuse


def _named(word: Word, semantics: Callable[..., Any], module: str) -> Callable[..., Any]:
    """The semantics under the mnemonic, with what the manual says of it."""

    def executed(*arguments: Any) -> Any:
        return semantics(*arguments)

    executed.__name__, executed.__module__ = word.mnemonic, module
    executed.__doc__ = f"{word.summary}\n\nIt is for the {word.unit.name}; {word.unit.gate}."
    executed.__annotations__ = {
        "return": inspect.signature(semantics, eval_str=True).return_annotation
    }
    vars(executed)["__signature__"] = inspect.signature(semantics)
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
