"""RISC-V: RV32IM, as the cores of a tile have it.

What cores of later generations add is in ``riscv_extensions.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.core_state import Blocked
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.implicit_kinds import CoreState, Here
from nasm.isa.instruction import InstructionContext, OfOperands, Operand, Row, of_operands
from nasm.isa.kinds import Label, Number
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.engine_names import HARTS, RISCV_PREFIX
from nasm.targets.tensix.host.operands import WordValue
from nasm.targets.tensix.isa.table import ISA
from nasm.targets.tensix.riscv.code import FORMS, Address, LineForm
from nasm.targets.tensix.riscv.decode import encode, rotated
from nasm.targets.tensix.riscv.execute import execute, waits
from nasm.targets.tensix.riscv.formats import RS1 as RS1_AT
from nasm.targets.tensix.riscv.operands import CoreRegister, ImmediateNumber, TensixWord, distance
from nasm.targets.tensix.riscv.operations import (
    OPERATIONS,
    PUSHED_WORD,
    Does,
    IntegerTime,
    Operation,
)
from nasm.targets.tensix.riscv.status import StatusName

PREFIX: Final = RISCV_PREFIX

PAGE: Final = "Tenstorrent ISA documentation, Wormhole B0: BabyRISCV"
MANUAL: Final = "The RISC-V Instruction Set Manual, Volume I, 20191213"

PAGES: Final = {"": PAGE, "blackhole": PAGE.replace("Wormhole B0", "Blackhole A0")}
MANUALS: Final = {"": MANUAL, "blackhole": MANUAL.replace("20191213", "20240411")}
"""Of the first generation, and of one that adds operations."""

REGISTER: Final = CoreRegister()
CORE: Final = Operand("core", CoreState())
NUMBER: Final = Operand("number", Here("queue"))
LABEL: Final = Operand("Target", Label(), "-", doc="where to continue", bare=True)


def register(name: str, doc: str) -> Operand:
    """An operand that is a register."""
    return Operand(name, REGISTER, "-", doc=doc, bare=True)


RD: Final = register("Rd", "the register of the result; x0 stays 0")
RS: Final = register("Rs", "the register that is stored")
RS1: Final = register("Rs1", "a register")
RS2: Final = register("Rs2", "another one")
STATUS: Final = Operand("Status", StatusName(), "-", doc="a status register", bare=True)
ZIMM: Final = Operand("Imm", Number(integer=True, low=0, high=31), "-", doc="a number")
BASE: Final = Operand(
    "Base",
    REGISTER,
    "-",
    doc="the register with an address; written (sp) after the offset",
    bare=True,
    based=True,
)

Semantics = Callable[..., Any]


def _reaching(core: Tensix, number: int) -> Callable[[], None]:
    """Execute a line whose effects may come later."""
    execute(core, number)
    return core.settle


def _private(core: Tensix, number: int) -> None:
    """Execute a line that changes nothing but registers."""
    execute(core, number)


@of_operands
def not_waiting(_: InstructionContext, core: Tensix, number: int) -> Blocked | None:
    """Its registers are there, and what it reaches lets it."""
    return waits(core, number)


CONDITION: Final = not_waiting("core", "number")


def _cost(doc: str, latency: int = 1) -> OfOperands[Cost]:
    def answer(_: InstructionContext) -> Cost:
        return Cost(1, latency, Evidence.DOCUMENTED, f"{PAGE}: pipeline", issue=1)

    return OfOperands((), answer, "cost", doc)


ONE: Final = _cost("A cycle.")
_COSTS: Final[Mapping[Does, OfOperands[Cost]]] = {
    Does.LOAD: _cost(
        "A cycle; what uses the result waits: for 2 of the local memory, 3 of mailboxes, "
        "semaphores and TTSync, 4 of registers and the configuration, 7 of devices, 8 of L1."
    ),
    Does.ATOMIC: _cost(
        "A cycle; what uses the result waits for 12, and it for all accesses before."
    ),
    Does.FENCE: _cost("A cycle; on Blackhole it waits for all accesses, and what follows for it."),
    Does.STATUS: _cost("A cycle; what follows waits until it has retired."),
    Does.STORE: _cost("A cycle; four stores wait in a queue, and L1 takes one every 5."),
    Does.BRANCH: _cost(
        "A cycle, if the core expected where it goes, as is assumed; else 3, on Blackhole 5 "
        "(riscv.branches)."
    ),
}
_TIMES: Final[Mapping[IntegerTime, OfOperands[Cost]]] = {
    IntegerTime.MULTIPLY: _cost("Two cycles of the integer unit.", 2),
    IntegerTime.DIVIDE: _cost(
        "2 cycles of the integer unit by 0 or 1, else 6 to 33: one more than the dividend has "
        "bits is assumed."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RiscRow:
    """What a row of a RISC-V instruction says: its operands, what it does, and its words."""

    name: str
    operands: Sequence[Operand]
    sentence: str
    formula: str
    example: str
    form: LineForm
    cost: OfOperands[Cost] = ONE
    reaches: bool = False
    sends: bool = False
    also: Sequence[str] = ()
    setup: str = ""
    source: str = f"{PAGE}; {MANUAL}"
    since: str = ""
    until: str = ""

    def made(self, module: str) -> Row:
        """The row, in the table."""
        name = PREFIX + self.name
        FORMS[name] = self.form
        return ISA.instruction(
            *self.operands,
            CORE,
            NUMBER,
            engines=HARTS,
            cost=self.cost,
            condition=CONDITION,
            source=self.source,
            example=f"{PREFIX}{self.example}",
            formula=self.formula,
            setup=self.setup,
            also=self.name,
            sends=self.sends,
            since=self.since,
            until=self.until,
        )(self._executed(name, module))

    def _executed(self, name: str, module: str) -> Semantics:
        does = _reaching if self.reaches else _private

        def executed(core: Tensix, number: int) -> Any:
            return does(core, number)

        executed.__name__, executed.__module__ = name, module
        executed.__doc__ = "\n\n".join((self.sentence, *self.also))
        executed.__annotations__ = dict(does.__annotations__)
        return executed


def one_word(words: Callable[[Mapping[str, Any], int, Address], int]) -> LineForm:
    """The form of a line that is one word."""
    return LineForm(lambda of: 4, lambda of, at, label: [words(of, at, label)])


# -- operands, words and examples, by what an operation does


def _operands(one: Operation) -> tuple[Operand, ...]:
    immediate = ImmediateNumber(one.form)
    number = Operand("Imm", immediate, "-", doc="a number")
    offset = Operand("Offset", immediate, "-", doc="what is added to the address")
    return {
        Does.COMPUTE: (RD, RS1, RS2),
        Does.UNARY: (RD, RS1),
        Does.ATOMIC: (RD, RS2, BASE),
        Does.STATUS: (RD, STATUS, RS1 if RS1_AT in one.form.registers else ZIMM),
        Does.IMMEDIATE: (RD, RS1, number),
        Does.UPPER: (RD, number),
        Does.BRANCH: (RS1, RS2, LABEL),
        Does.JUMP: (RD, LABEL),
        Does.JUMP_REGISTER: (RD, offset, BASE),
        Does.LOAD: (RD, offset, BASE),
        Does.STORE: (RS, offset, BASE),
    }.get(one.does, ())


def _word(one: Operation) -> Callable[[Mapping[str, Any], int, Address], int]:
    """What makes the word of an operation of its operands."""
    names = [operand.name for operand in _operands(one)]
    numbers = ("Imm", "Offset", "Status", "Target")
    registers = [name for name in names if name not in numbers]
    immediate = next((name for name in names if name in ("Imm", "Offset")), "")

    def word(of: Mapping[str, Any], at: int, label: Address) -> int:
        value = of[immediate] if immediate else 0
        if "Status" in of:
            value = of["Status"] | value << 12
        if "Target" in of:
            value = distance(one.form, label(of["Target"]), at, of["Target"])
        return encode(one, [of[name] for name in registers], value)

    return word


_EXAMPLES: Final[Mapping[Does, str]] = {
    Does.COMPUTE: "a0, a1, a2",
    Does.UNARY: "a0, a1",
    Does.ATOMIC: "a0, a2, (a1)",
    Does.IMMEDIATE: "a0, a1, 300",
    Does.UPPER: "a0, 0x12345",
    Does.BRANCH: "a0, a1, onwards",
    Does.JUMP: "ra, onwards",
    Does.JUMP_REGISTER: "ra, 0(a1)",
    Does.LOAD: "a0, 4(a1)",
    Does.STORE: "a2, 4(a1)",
}

_REGISTERS: Final = f"{PREFIX}addi a1, zero, 100\n{PREFIX}addi a2, zero, 353"
_POINTER: Final = f"{PREFIX}addi a1, zero, 256\n{PREFIX}addi a2, zero, 100"
_LARGE: Final = f"{PREFIX}lui a1, 0x40003\n{PREFIX}addi a2, zero, 300"
ONWARDS: Final = f"""{PREFIX}beq zero, zero, start
onwards: {PREFIX}addi a3, zero, 1
{PREFIX}ebreak
start: {PREFIX}addi a1, zero, 100
{PREFIX}addi a2, zero, 300"""
"""Lines before the example of a jump to a label that is followed by the end."""

_SETUPS: Final[Mapping[Does, str]] = {
    Does.COMPUTE: _REGISTERS,
    Does.UNARY: _REGISTERS,
    Does.STATUS: _REGISTERS,
    Does.IMMEDIATE: _REGISTERS,
    Does.STORE: _POINTER,
    Does.ATOMIC: f".l1 words u32[4] @ 256 inout = iota\n{_POINTER}",
    Does.LOAD: f".l1 words u32[4] @ 256 input = iota\n{_POINTER}",
    Does.BRANCH: ONWARDS,
    Does.JUMP: ONWARDS,
    Does.JUMP_REGISTER: f"{ONWARDS}\n{PREFIX}la a1, onwards",
}


def row_of(one: Operation, module: str) -> Row:
    """The row of an operation, in the table."""
    name = one.name.replace(".", "_")
    does = one.does
    example = "a0, a1, 3" if one.form.bits == 5 else _EXAMPLES.get(does, "")
    if does is Does.STATUS:
        example = f"a0, hwa_mask, {'a1' if RS1_AT in one.form.registers else 3}"
    return RiscRow(
        name=name,
        operands=_operands(one),
        sentence=one.sentence,
        formula=one.formula,
        example=f"{name} {example}".rstrip(),
        form=one_word(_word(one)),
        cost=_TIMES.get(one.time) or _COSTS.get(does, ONE),
        reaches=does in (Does.LOAD, Does.STORE, Does.ATOMIC),
        sends=does is Does.STORE and one.size == 4,
        setup=_LARGE if one.time is not IntegerTime.ONE else _SETUPS.get(does, ""),
        source=f"{PAGES[one.since]}; {MANUALS[one.since]}",
        since=one.since,
        until=one.until,
    ).made(module)


for _one in OPERATIONS.values():
    globals()[f"{PREFIX}{_one.name.replace('.', '_')}"] = row_of(_one, __name__)

rv_ttinsn = RiscRow(
    name=PUSHED_WORD.name,
    operands=(Operand("Word", TensixWord(), "-", doc="the word of the Tensix instruction"),),
    sentence=PUSHED_WORD.sentence,
    formula=PUSHED_WORD.formula,
    example="ttinsn 0x02000000",
    form=one_word(lambda of, at, label: rotated(of["Word"])),
    cost=_cost("A cycle, and longer while the FIFO is full."),
    reaches=True,
    also=("Cores of threads have it; to one of B or NC it would go nowhere.",),
    source=f"{PAGE}, PushTensixInstruction",
).made(__name__)

rv_word = RiscRow(
    name="word",
    operands=(Operand("Value", WordValue(), "-", doc="the word"),),
    sentence="A word among the code: data, or an instruction by its word.",
    formula="the word is in memory, where the line is",
    example="word 0x12345678",
    form=one_word(lambda of, at, label: of["Value"] & 0xFFFFFFFF),
    setup=f"{PREFIX}ebreak",
).made(__name__)


def whole(value: int) -> int:
    """A multiple of a word's bytes; raises Refused."""
    if value & 3:
        raise Refused("E0301", f"{value:#x} is no multiple of 4")
    return value


_SPACE = Number(integer=True, low=4, high=1 << 30)

rv_space = RiscRow(
    name="space",
    operands=(Operand("Bytes", _SPACE, "-", doc="how many, a multiple of 4"),),
    sentence="Addresses of which the code has nothing: memory stays as it is there.",
    formula="the next line is so many bytes further on",
    example="space 16",
    form=LineForm(lambda of: whole(of["Bytes"]), lambda of, at, label: [], data=True),
    setup=f"{PREFIX}ebreak",
).made(__name__)

rv_zeros = RiscRow(
    name="zeros",
    operands=(Operand("Bytes", _SPACE, "-", doc="how many, a multiple of 4"),),
    sentence="So many bytes of 0, as data.",
    formula="bytes of 0 are in memory, where the line is",
    example="zeros 16",
    form=LineForm(
        lambda of: whole(of["Bytes"]), lambda of, at, label: [0] * (of["Bytes"] // 4), data=True
    ),
    setup=f"{PREFIX}ebreak",
    source="of nasm",
).made(__name__)

_PLACE = Number(integer=True, low=0, high=0xFFFFFFFC)

rv_org = RiscRow(
    name="org",
    operands=(Operand("Address", _PLACE, "-", doc="a multiple of 4"),),
    sentence="Let the lines that follow be at an address.",
    formula="the next line is at Address",
    example="org 0x7000",
    form=LineForm(
        lambda of: 0, lambda of, at, label: [], data=True, origin=lambda of: whole(of["Address"])
    ),
    also=("The first line is where its core begins after a reset, unless this says otherwise.",),
    setup=f"{PREFIX}ebreak",
    source="of nasm",
).made(__name__)

PUSHED_BY: Final = frozenset(
    f"{PREFIX}{one.name}" for one in OPERATIONS.values() if one.does is Does.STORE
)
"""The rows with which RISC-V B may push."""

END: Final = "end"

rv_end = RiscRow(
    name=END,
    operands=(),
    sentence="The end of the code of a core, which executes nothing more.",
    formula="the core has reached its end",
    example=END,
    form=LineForm(lambda of: 0, lambda of, at, label: [], data=True, ends=True),
    also=("It has no word, and each text of a core has one after its last line.",),
    source="of nasm",
).made(__name__)
