"""The table of instructions: what a row says, and how it becomes one of :class:`Isa`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from nasm.base.records import replace
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.instruction import InstructionContext, Row, of_operands
from nasm.isa.isa import Isa
from nasm.isa.words import Spelling, Words, data_row
from nasm.targets.tensix.core.costs import UNKNOWN, Costs, of_matrix, of_vector, paced
from nasm.targets.tensix.core.durations import LASTS, Lasts
from nasm.targets.tensix.core.instruction_start import Start, at_once
from nasm.targets.tensix.core.waits import Waits
from nasm.targets.tensix.engine_names import QUEUES
from nasm.targets.tensix.front.expanding import EXPANDER_NAMES, EXPANDERS, ExpanderAction
from nasm.targets.tensix.isa.declared import Declared, RowChange
from nasm.targets.tensix.lanes import facts as lanes
from nasm.targets.tensix.lanes.facts import LANES_ON, Lanes, VectorTable
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT, MatrixFacts
from nasm.targets.tensix.scalar.timing import Paces, UnitPace
from nasm.targets.tensix.words import FIRST, TABLES, WORDS, WordTable
from nasm.targets.tensix.words.groups import WRITERS, SettingGroup
from nasm.targets.tensix.words.units import MATRIX, VECTOR
from nasm.targets.tensix.words.word import OPCODE, Described, Word

ISA = Isa("tensix")
TARGET: Final = "nasm.targets.tensix"
"""The module of the target."""

BITS = 32


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (BITS - by)) & ((1 << BITS) - 1)


def _streamed(word: int) -> int:
    return _rotated(word, 2)


def _read(word: int) -> int:
    return _rotated(word, BITS - 2)


TTINSN: Final = "among RISC-V instructions: rotated left by two"
SPELLINGS: Final = {"ttinsn": Spelling(TTINSN, _streamed, _read)}
"""Other forms of words."""


@of_operands
def issued(_: InstructionContext) -> Cost:
    """One instruction a cycle and thread leaves the wait gate."""
    source = "Tenstorrent ISA documentation, Wormhole B0: front end"
    return Cost(1, 1, Evidence.DOCUMENTED, source)


AS_BEFORE: Final = RowChange()
"""An instruction that is as on the first generation."""


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
        since: str = FIRST,
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
            since: The first generation that has it.
            more: Passed to :meth:`~nasm.isa.isa.Isa.instruction`.
        """
        costs = cost or _costs(word, facts, pace)
        _declare(word, facts, lasts)
        if expands is not None:
            EXPANDERS[word.opcode] = expands
            EXPANDER_NAMES[word.opcode] = word.mnemonic
        if settings is not None:
            WRITERS.setdefault(settings, []).append(word.mnemonic)
        if starts is None and isinstance(pace, UnitPace):
            starts = at_once(pace.latency)
        declared = Declared(
            self.module, word, semantics, facts, pace, costs, starts, waits, hazard, example, more
        )
        if since == FIRST:
            DECLARED[word.mnemonic] = declared
            _enter(declared, TABLES[FIRST], LANES_ON[FIRST])
            return declared.made(ISA)
        ADDED.setdefault(since, {})[word.mnemonic] = declared
        return replace(declared, more={**more, "since": since}).made(ISA)


DECLARED: Final[dict[str, Declared]] = {}
"""What rows of the first generation say, by mnemonic."""

ADDED: Final[dict[str, dict[str, Declared]]] = {}
"""What rows say that a later generation adds, by its name and by mnemonic."""


class ChipChanges(NamedTuple):
    """What a generation changes of the first one: what documents call it, and how rows differ."""

    chip: str
    rows: Mapping[str, RowChange]


CHANGES: Final[dict[str, ChipChanges]] = {}
"""By the name of the generation, as its module of ``isa/`` enters it."""


@cache
def rows_on(generation: str) -> Mapping[str, Row]:
    """The rows that a generation has in another form than the table."""
    if generation == FIRST:
        return {}
    chip, changed = CHANGES[generation]
    if unknown := set(changed) - set(DECLARED):
        raise TypeError(f"{generation} changes {', '.join(sorted(unknown))}, of which is no row")
    every = {
        **{name: changed.get(name, AS_BEFORE).of(one, chip) for name, one in DECLARED.items()},
        **{
            name: replace(one, more={**one.more, "since": generation})
            for name, one in ADDED.get(generation, {}).items()
        },
    }
    isa, words, vector = Isa(ISA.name), WordTable(), VectorTable()
    for declared in every.values():
        _enter(declared, words, vector)
        declared.made(isa)
    TABLES[generation], LANES_ON[generation] = words, vector
    variant = (TARGET, generation)
    return {name: replace(row, variant=variant) for name, row in isa.rows.items()}


@cache
def words_on(generation: str) -> Words:
    """The words of a generation's instructions."""
    rows = rows_on(generation) or {row.name: row for row in ISA if not row.since}
    return Words(tuple(rows.values()), OPCODE, DATA, SPELLINGS)


def _enter(declared: Declared, words: WordTable, vector: VectorTable) -> None:
    """Enter what is declared where the units of a generation look it up."""
    word, facts = declared.word, declared.facts
    words.declare(word)
    if isinstance(facts, Lanes) and declared.semantics is not None:
        lanes.declare(vector, word.mnemonic, facts, declared.semantics)


def arrange(units: Iterable[str]) -> None:
    """List rows and words by the modules or packages of their units, and then by opcode."""
    order = list(units)

    def place(item: tuple[str, Row]) -> tuple[int, int]:
        module, code = item[1].semantics.__module__, _opcode(item[1])
        at = next(n for n, unit in enumerate(order) if f"{module}.".startswith(f"{unit}."))
        return at, code

    ISA.rows = dict(sorted(ISA.rows.items(), key=place))
    words = [WORDS[mnemonic] for mnemonic in ISA.rows if mnemonic in WORDS]
    WORDS.clear()
    WORDS.update({word.mnemonic: word for word in words})


def _opcode(row: Row) -> int:
    return 0 if row.encoding is None else row.encoding.code


def _declare(word: Word, facts: Lanes | MatrixFacts | None, lasts: Lasts | None) -> None:
    """Enter what is declared where the units of every generation look it up."""
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


DATA = data_row(__name__, QUEUES, issued(), "a word as it is in memory")
globals()[DATA.name] = DATA
"""The row of words that are no instruction, to be found by its name."""

__all__ = ["DATA", "ISA", "OPCODE", "Family"]
