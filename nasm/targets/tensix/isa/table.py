"""The table of instructions: what a row says, and how it becomes one of :class:`Isa`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.field_kinds import Bits, Field
from nasm.isa.implicit_kinds import CoreState, FieldOf, Here
from nasm.isa.instruction import InstructionContext, OfOperands, Operand, Row, of_operands
from nasm.isa.isa import Isa
from nasm.isa.words import data_row, documented
from nasm.targets.tensix.core.costs import UNKNOWN, Costs, of_matrix, of_vector, paced
from nasm.targets.tensix.core.durations import LASTS, Lasts
from nasm.targets.tensix.core.fields import fields_of
from nasm.targets.tensix.core.instruction_start import Done, Start, at_once, started
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.core.waits import Waits, waiting
from nasm.targets.tensix.front.expanding import EXPANDERS, ExpanderAction
from nasm.targets.tensix.isa import notes
from nasm.targets.tensix.lanes import facts as lanes
from nasm.targets.tensix.lanes.facts import Lanes
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT, MatrixFacts
from nasm.targets.tensix.scalar.timing import Paces, UnitPace
from nasm.targets.tensix.words import WORDS, declare
from nasm.targets.tensix.words.groups import WRITERS, SettingGroup
from nasm.targets.tensix.words.units import MATRIX, VECTOR
from nasm.targets.tensix.words.word import OPCODE, Described, Word

ISA = Isa("tensix")

QUEUES = ("t0", "t1", "t2")
"""The three threads, each of which issues every instruction."""

CORES = tuple(f"trisc{queue[1:]}" for queue in QUEUES)
"""The RISC-V core of each thread, which pushes the instructions of that."""

CORE = Operand("core", CoreState())
THREAD = Operand("thread", Here("queue"))
"""What every row gets in addition to its word: the coprocessor, and the number of the thread."""


@of_operands
def issued(_: InstructionContext) -> Cost:
    """One instruction a cycle and thread leaves the wait gate."""
    source = "Tenstorrent ISA documentation, Wormhole B0: front end"
    return Cost(1, 1, Evidence.DOCUMENTED, source)


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
        hazard: str = "",
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
            hazard: What programs have to wait for themselves, where the facts do not say it.
            example: An example; without one it is the mnemonic with two fields.
            more: Passed to :meth:`~nasm.isa.isa.Isa.instruction`.
        """
        declare(word)
        costs = cost or _costs(word, facts, pace)
        _declare(word, semantics, facts, lasts)
        if expands is not None:
            EXPANDERS[word.opcode] = expands
        if settings is not None:
            WRITERS.setdefault(settings, []).append(word.mnemonic)
        if starts is None and isinstance(pace, UnitPace):
            starts = at_once(pace.latency)
        executed = _refusing(word) if semantics is None else started(word, semantics, starts)
        return ISA.instruction(
            *_written(word),
            CORE,
            THREAD,
            Operand("word", _whole(word)),
            engines=QUEUES,
            cost=_cost(word, costs),
            condition=_condition(word, waits),
            source=word.source,
            example=example or _example(word),
            encoding=word.encoding,
            rules=(documented(word.encoding, word.source),),
            vendor={"tt-llk": word.macros, "ISA documentation": _page(word)},
            **more,
        )(_named(word, executed, self.module, [*_notes(word, facts, pace, waits), hazard]))


def arrange(units: Iterable[str]) -> None:
    """List rows and words by the modules or packages of their units, and then by opcode."""
    order = list(units)

    def place(item: tuple[str, Row]) -> tuple[int, int]:
        module, word = item[1].semantics.__module__, WORDS.get(item[0])
        at = next(n for n, unit in enumerate(order) if f"{module}.".startswith(f"{unit}."))
        return at, 0 if word is None else word.opcode

    ISA.rows = dict(sorted(ISA.rows.items(), key=place))
    words = [WORDS[mnemonic] for mnemonic in ISA.rows if mnemonic in WORDS]
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
        fields = fields_of(word.mnemonic, number)
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
    executed.__doc__ = "\n\n".join((word.summary, where, *filter(None, noted)))
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
