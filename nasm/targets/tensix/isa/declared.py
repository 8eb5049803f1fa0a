"""What a row says of an instruction, how that changes on a generation, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nasm.base.problems import Refused
from nasm.base.records import dataclass, field, replace
from nasm.isa.core_state import Blocked
from nasm.isa.evidence import Cost
from nasm.isa.field_kinds import Bits, Field
from nasm.isa.field_values import FieldValues
from nasm.isa.implicit_kinds import CoreState, FieldOf, Here
from nasm.isa.instruction import InstructionContext, OfOperands, Operand, Row
from nasm.isa.isa import Isa
from nasm.isa.words import documented
from nasm.targets.tensix.core.costs import UNKNOWN, Costs, of_vector
from nasm.targets.tensix.core.instruction_start import Done, Start, started
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.core.waits import Waits, waiting
from nasm.targets.tensix.engine_names import QUEUES
from nasm.targets.tensix.isa import notes
from nasm.targets.tensix.lanes.facts import Lanes
from nasm.targets.tensix.matrix.facts import MatrixFacts
from nasm.targets.tensix.scalar.timing import Paces
from nasm.targets.tensix.words.word import Described, Word

CORE = Operand("core", CoreState())
THREAD = Operand("thread", Here("queue"))
"""What every row gets in addition to its word: the coprocessor, and the number of the thread."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a row says of an instruction, from which its row on a generation is made."""

    module: str
    word: Word
    semantics: Callable[..., Any] | None
    facts: Lanes | MatrixFacts | None
    pace: Paces | None
    costs: Costs
    starts: Start | None
    waits: Waits | None
    hazard: str
    example: str
    more: Mapping[str, Any]
    missing: str = ""

    def made(self, isa: Isa) -> Row:
        """The row, in a table."""
        word = self.word
        executed = (
            _refusing(word, self.missing)
            if self.semantics is None or self.missing
            else started(word, self.semantics, self.starts)
        )
        return isa.instruction(
            *_written(word),
            CORE,
            THREAD,
            Operand("word", _whole(word)),
            engines=QUEUES,
            cost=_cost(word, self.costs),
            condition=None if self.missing else _condition(word, self.waits),
            source=word.source,
            example=self.example or _example(word),
            encoding=word.encoding,
            rules=(documented(word.encoding, word.source),),
            vendor={"tt-llk": word.macros, "ISA documentation": _page(word)},
            **self.more,
        )(_named(word, executed, self.module, self._notes()))

    def _notes(self) -> list[str]:
        """What the manual says besides: what its facts mean, and why nothing executes it."""
        if not self.missing:
            own = _notes(self.word, self.facts, self.pace, self.waits)
            return [*own, self.hazard] if self.hazard else own
        return [f"It is not modelled on {self.word.chip}: {self.missing}."]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """How an instruction is on a later generation, where that is not as its row says.

    Attributes:
        moved: Fields at other bits, of operands and forms.
        forms: Other fields of the documentation.
        word: Another word altogether.
        values: Names of values of fields, where these are others.
        meanings: What fields are for, where that is something else.
        described: Where it is documented.
        semantics: What executes it.
        facts: What its unit has to know of it.
        costs: What it costs.
        waits: What it waits for.
        starts: What happens when it starts.
        hazard: What programs have to wait for themselves.
        setup: The lines before its example.
        example: Its example.
        formula: What it computes.
        missing: Why nothing executes it: what of it no source gives, or is not modelled.
    """

    moved: str = ""
    forms: str = ""
    word: Word | None = None
    values: Mapping[str, FieldValues | None] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    described: Described = Described.SHARED
    semantics: Callable[..., Any] | None = None
    facts: Lanes | MatrixFacts | None = None
    costs: Costs | None = None
    waits: Waits | None = None
    starts: Start | None = None
    hazard: str = ""
    setup: str | None = None
    example: str = ""
    formula: str = ""
    missing: str = ""

    def of(self, declared: Declared, chip: str) -> Declared:
        """What is declared of an instruction, with what changes on a generation."""
        word = self.word or declared.word
        if self.moved:
            word = word.moved(self.moved)
        word = replace(
            word,
            forms=self.forms or word.forms,
            values={**word.values, **self.values},
            meanings={**word.meanings, **self.meanings},
        )
        described = word.described if word.described is Described.NAME else self.described
        facts = self.facts or declared.facts
        more = dict(declared.more)
        if self.setup is not None:
            more["setup"] = self.setup
        if self.formula:
            more["formula"] = self.formula
        return replace(
            declared,
            word=replace(word, chip=chip, described=described),
            semantics=self.semantics or declared.semantics,
            facts=facts,
            costs=self._costs(facts, declared),
            waits=self.waits or declared.waits,
            starts=self.starts or declared.starts,
            hazard=self.hazard or declared.hazard,
            example=self.example or declared.example,
            more=more,
            missing=self.missing,
        )

    def _costs(self, facts: Lanes | MatrixFacts | None, declared: Declared) -> Costs:
        if self.missing:
            return UNKNOWN
        if self.costs is not None:
            return self.costs
        return of_vector(facts) if isinstance(facts, Lanes) else declared.costs


def _cost(word: Word, costs: Costs) -> OfOperands[Cost]:
    """What an instruction costs, by its word."""

    def answer(context: InstructionContext) -> Cost:
        number = _number(word, context)
        fields = word.fields_of(number)
        return costs(fields, (word.mnemonic, number, QUEUES.index(context.engine)))

    return OfOperands((), answer, "cost", "Cycles of its unit, as documents state them.")


def _condition(word: Word, own: Waits | None) -> OfOperands[Blocked | None]:
    """What keeps it from starting."""
    waits = waiting(word, own)

    def answer(context: InstructionContext) -> Blocked | None:
        held = context.operands
        return waits(held["core"], held["thread"], held["word"])

    return OfOperands(("core", "thread", "word"), answer, "waits")


def _number(word: Word, context: InstructionContext) -> int:
    return word.encoding.encode([context.operands[one.name] for one in word.encoding.operands])


def _whole(word: Word) -> FieldOf:
    """The arguments of a word, where they are in it."""
    return FieldOf(Field("word", 0, 24), word.encoding.operands)


def _page(word: Word) -> tuple[str, ...]:
    there = word.described in (Described.DOCS, Described.SHARED, Described.TREE)
    return (word.page or word.mnemonic,) if there else ()


def _written(word: Word) -> list[Operand]:
    """The operands of a word, of which semantics get the word."""
    return [
        Operand(
            one.name,
            Bits(one, word.upto.get(one.name, 0)),
            "-",
            default=word.default(one),
            doc=_explained(word, one),
            keyword=True,
        )
        for one in word.encoding.operands
    ]


def _explained(word: Word, operand: Field) -> str:
    """What an operand is for, and the other names of it and of its parts."""
    return "; ".join(
        filter(None, (_parts(word, operand), operand.meaning, _named_only(word, operand)))
    )


def _named_only(word: Word, operand: Field) -> str:
    """Of an operand of which no meaning is published, that there is none."""
    if operand.mask & ~word.encoding.free or word.described is Described.NAME:
        return ""
    return "documents only name it, and nothing reads it"


def _parts(word: Word, operand: Field) -> str:
    """The other names of an operand and of its parts."""
    text = []
    for part in word.encoding.parts.values():
        if part.mask == operand.mask and part.signed == operand.signed:
            text.append(f"or {part.name}")
        elif part.mask & operand.mask:
            meaning = f" ({part.meaning})" if part.meaning else ""
            text.append(f"{part.name} is {part.where}{meaning}")
    return ", ".join(text)


def _refusing(word: Word, missing: str) -> Callable[[Tensix, int, int], Done]:
    """What a row does of which nothing executable is written, or nothing for its generation."""
    if missing:
        message = f"{word.mnemonic} is not modelled on {word.chip}: {missing}"
        hint = "it can be assembled and disassembled, but not executed"
        code = "E0601"
    elif word.described is Described.NAME:
        message = f"{word.mnemonic} has no public semantics: documents give its name and arguments"
        hint = "it can be assembled and disassembled, but not executed"
        code = "E0701"
    else:
        message = f"{word.mnemonic} is not implemented yet"
        hint = "it can be assembled and disassembled, but not executed"
        code = "E0601"

    def refuse(core: Tensix, thread: int, word: int) -> Done:
        raise Refused(code, message, hint)

    return refuse


def _notes(
    word: Word, facts: Lanes | MatrixFacts | None, pace: Paces | None, waits: Waits | None
) -> list[str]:
    """What the facts of an instruction mean to those that write programs."""
    if word.described is Described.NAME:
        return [*notes.of_named()]
    if isinstance(facts, Lanes):
        return [*notes.of_lanes(facts)]
    if isinstance(facts, MatrixFacts):
        return [*notes.of_matrix(facts)]
    made = [] if pace is None else [*notes.of_pace(pace)]
    return made + ([] if waits is None else [*notes.of_waits(waits.__doc__ or "")])


def _named(
    word: Word, start: Callable[[Tensix, int, int], Done], module: str, noted: list[str]
) -> Any:
    """What executes it, under the mnemonic, with what the manual says of it."""

    def executed(core: Tensix, thread: int, word: int) -> Done:
        return start(core, thread, word)

    executed.__name__, executed.__module__ = word.mnemonic, module
    where = f"It is executed by the {word.unit.name}; {word.unit.gate}."
    executed.__doc__ = "\n\n".join((word.summary, where, *noted))
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
