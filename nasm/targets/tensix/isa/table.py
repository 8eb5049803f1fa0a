"""The table of instructions: what a row says, and how it becomes one of :class:`Isa`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.core_state import Blocked
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.field_kinds import Bits, Field
from nasm.isa.implicit_kinds import CoreState, FieldOf, Here
from nasm.isa.instruction import InstructionContext, OfOperands, Operand, Row, of_operands
from nasm.isa.isa import Isa
from nasm.isa.words import Spelling, Words, data_row, documented
from nasm.targets.tensix.core.costs import UNKNOWN, Costs, of_matrix, of_vector, paced
from nasm.targets.tensix.core.durations import LASTS, Lasts
from nasm.targets.tensix.core.instruction_start import Done, Start, at_once, started
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.core.waits import Waits, waiting
from nasm.targets.tensix.front.expanding import EXPANDERS, ExpanderAction
from nasm.targets.tensix.isa import notes
from nasm.targets.tensix.lanes import facts as lanes
from nasm.targets.tensix.lanes.facts import Lanes
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT, MatrixFacts
from nasm.targets.tensix.scalar.timing import Paces, UnitPace
from nasm.targets.tensix.words import FIRST, TABLES, WORDS
from nasm.targets.tensix.words.groups import WRITERS, SettingGroup
from nasm.targets.tensix.words.units import MATRIX, VECTOR
from nasm.targets.tensix.words.word import OPCODE, Described, Word

ISA = Isa("tensix")

QUEUES = ("t0", "t1", "t2")
"""The three threads, each of which issues every instruction."""

BITS = 32


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (BITS - by)) & ((1 << BITS) - 1)


def _streamed(word: int) -> int:
    return _rotated(word, 2)


def _read(word: int) -> int:
    return _rotated(word, BITS - 2)


SPELLINGS: Final = {
    "ttinsn": Spelling("among RISC-V instructions: rotated left by two", _streamed, _read)
}
"""Other forms of words."""

CORE = Operand("core", CoreState())
THREAD = Operand("thread", Here("queue"))
"""What every row gets in addition to its word: the coprocessor, and the number of the thread."""


@of_operands
def issued(_: InstructionContext) -> Cost:
    """One instruction a cycle and thread leaves the wait gate."""
    source = "Tenstorrent ISA documentation, Wormhole B0: front end"
    return Cost(1, 1, Evidence.DOCUMENTED, source)


@dataclass(frozen=True, slots=True)
class Declared:
    """What a row says of an instruction, from which its row on a generation is made."""

    module: str
    word: Word
    semantics: Callable[..., Any] | None
    facts: Lanes | MatrixFacts | None
    costs: Costs
    starts: Start | None
    waits: Waits | None
    example: str
    more: Mapping[str, Any]

    def made(self, isa: Isa) -> Row:
        """The row, in a table."""
        word = self.word
        executed = (
            _refusing(word)
            if self.semantics is None
            else started(word, self.semantics, self.starts)
        )
        return isa.instruction(
            *_written(word),
            CORE,
            THREAD,
            Operand("word", _whole(word)),
            engines=QUEUES,
            cost=_cost(word, self.costs),
            condition=_condition(word, self.waits),
            source=word.source,
            example=self.example or _example(word),
            encoding=word.encoding,
            rules=(documented(word.encoding, word.source),),
            vendor={"tt-llk": word.macros, "ISA documentation": _page(word)},
            **self.more,
        )(_named(word, executed, self.module, _notes(self.facts)))


class Family:
    """Rows that are written in one module."""

    def __init__(self, module: str) -> None:
        self.module = module

    def row(
        self,
        word: Word,
        semantics: Callable[..., Any] | None = None,
        *,
        facts: Lanes | MatrixFacts | None = None,
        pace: Paces | None = None,
        cost: Costs | None = None,
        lasts: Lasts | None = None,
        expands: ExpanderAction | None = None,
        starts: Start | None = None,
        waits: Waits | None = None,
        settings: SettingGroup | None = None,
        example: str = "",
        **more: Any,
    ) -> Row:
        """A row. Without semantics it assembles, and refuses to execute.

        Raises TypeError where it does not say what its unit needs to know.

        Args:
            word: Its word and fields, its unit, and a sentence.
            semantics: What executes it: gets the coprocessor, the thread, and the fields of the
                word that it names by any of their names.
            facts: Of the vector and the matrix unit, all they need to know besides the values.
            pace: Of other units that take a fixed time, how long that is.
            cost: Of the rest, the cost, and where that follows from the configuration
            lasts: how many cycles it is at work.
            expands: Of a word that does not reach the gate, what an expander does with it.
            starts: What happens when it starts, if that is not as for others of its unit.
            waits: What it waits for besides the gate and its unit.
            settings: What it writes of what programs may set by name, or its page documents.
            example: An example; without one it is the mnemonic with two fields.
            more: Passed to :meth:`~nasm.isa.isa.Isa.instruction`.
        """
        TABLES[FIRST].declare(word)
        costs = cost or _costs(word, facts, pace)
        _declare(word, semantics, facts, lasts)
        if expands is not None:
            EXPANDERS[word.opcode] = expands
        if settings is not None:
            WRITERS.setdefault(settings, []).append(word.mnemonic)
        if starts is None and isinstance(pace, UnitPace):
            starts = at_once(pace.latency)
        declared = Declared(
            self.module, word, semantics, facts, costs, starts, waits, example, more
        )
        DECLARED[word.mnemonic] = declared
        return declared.made(ISA)


DECLARED: Final[dict[str, Declared]] = {}
"""What rows say, by mnemonic."""


def rows_on(generation: str) -> Mapping[str, Row]:
    """The rows that a generation has in another form than the table."""
    return {}


@cache
def words_on(generation: str) -> Words:
    """The words of a generation's instructions."""
    rows = rows_on(generation)
    return Words([rows.get(row.name, row) for row in ISA], OPCODE, DATA, SPELLINGS)


def arrange(units: Iterable[str]) -> None:
    """List rows and words by the modules or packages of their units, and then by opcode."""
    order = list(units)

    def place(item: tuple[str, Row]) -> tuple[int, int]:
        module, word = item[1].semantics.__module__, WORDS[item[0]]
        at = next(n for n, unit in enumerate(order) if f"{module}.".startswith(f"{unit}."))
        return at, word.opcode

    ISA.rows = dict(sorted(ISA.rows.items(), key=place))
    words = [WORDS[mnemonic] for mnemonic in ISA.rows]
    WORDS.clear()
    WORDS.update({word.mnemonic: word for word in words})


def _declare(
    word: Word,
    semantics: Callable[..., Any] | None,
    facts: Lanes | MatrixFacts | None,
    lasts: Lasts | None,
) -> None:
    """Enter what is declared where the units look it up."""
    if isinstance(facts, Lanes) and semantics is not None:
        lanes.declare(word.mnemonic, facts, semantics)
    if isinstance(facts, MatrixFacts):
        MATRIX_UNIT[word.mnemonic] = facts
    if lasts is not None:
        LASTS[word.mnemonic] = lasts


def _costs(word: Word, facts: Lanes | MatrixFacts | None, pace: Paces | None) -> Costs:
    """What it costs, by what is declared of it; raises TypeError where that is missing."""
    if word.unit is VECTOR or word.unit is MATRIX:
        wanted = Lanes if word.unit is VECTOR else MatrixFacts
        if not isinstance(facts, wanted):
            raise TypeError(f"{word.mnemonic} needs facts={wanted.__name__}(…): {word.unit.name}")
    if isinstance(facts, Lanes):
        return of_vector(facts)
    if isinstance(facts, MatrixFacts) and facts.timing is not None:
        return of_matrix(facts.timing)
    if word.described is Described.NAME:
        return UNKNOWN
    if pace is None:
        raise TypeError(f"{word.mnemonic} needs pace=, cost= or a timing: {word.unit.name}")
    return paced(pace)


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
    return (word.page or word.mnemonic,) if word.described is Described.DOCS else ()


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
    return "; ".join(filter(None, (_parts(word, operand), operand.meaning)))


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


def _refusing(word: Word) -> Callable[[Tensix, int, int], Done]:
    """What a row does of which nothing executable is written."""
    if word.described is Described.NAME:
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


def _notes(facts: Lanes | MatrixFacts | None) -> list[str]:
    """What the facts of an instruction mean to those that write programs."""
    if isinstance(facts, Lanes):
        return [*notes.of_lanes(facts)]
    return [*notes.of_matrix(facts)] if isinstance(facts, MatrixFacts) else []


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


DATA = data_row(__name__, QUEUES, issued(), "a word as it is in memory")
globals()[DATA.name] = DATA
"""The row of words that are no instruction, to be found by its name."""

__all__ = ["DATA", "ISA", "OPCODE", "Family"]
