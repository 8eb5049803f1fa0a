"""What the RISC-V cores of threads do: push instructions, store, load, compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.isa.effects import Jump
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.implicit_kinds import CoreState, Here
from nasm.isa.instruction import InstructionContext, Operand, Rule, of_operands
from nasm.isa.kinds import Choice, Label, Number
from nasm.isa.target import Pushing
from nasm.targets.tensix.address_names import address_text
from nasm.targets.tensix.chips import CHIPS
from nasm.targets.tensix.core.pushed import full
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.engine_names import CORES, QUEUES, RISCV_PREFIX
from nasm.targets.tensix.host import blocks
from nasm.targets.tensix.host.operands import Address, WordValue
from nasm.targets.tensix.isa.table import ISA
from nasm.targets.tensix.memory_map import Block, MappedRegion
from nasm.targets.tensix.risc_state import RISC_REGISTERS
from nasm.targets.tensix.riscv.feeding import FED_ROWS
from nasm.targets.tensix.words.groups import WRITERS, SettingGroup

PAGE: Final = "Tenstorrent ISA documentation, Wormhole B0: BabyRISCV"
PUSHES: Final = f"{PAGE}, PushTensixInstruction"
SYNC_UNIT: Final = "sync"

WORD = WordValue()
REGISTER = Number(integer=True, low=0, high=RISC_REGISTERS - 1)
COUNT = Number(integer=True, low=1, high=1 << 20)
LINE = Number(integer=True, low=-1, high=(1 << 31) - 1)
MASK: Final = 0xFFFFFFFF

CORE = Operand("core", CoreState())
NUMBER = Operand("number", Here("queue"))
"""What every row gets besides: the coprocessor, and the number of the core among its engines."""


def _thread(number: int) -> int:
    return number - len(QUEUES)


@of_operands
def pushing(_: InstructionContext, Count: int) -> Cost:
    """A cycle for each instruction that is pushed, and longer while the FIFO is full."""
    return Cost(Count, Count, Evidence.DOCUMENTED, f"{PAGE}: sustained stores; a FIFO may be full")


def _region(context: InstructionContext, address: int) -> MappedRegion:
    """The region of an address on the generation of a program; raises Refused."""
    return CHIPS[context.generation.name].addresses.region_at(address)


@of_operands
def storing(context: InstructionContext, Address: int) -> Cost:
    """A cycle; five to L1, in which other instructions may follow, and a turn of the sync unit."""
    block = _region(context, Address).block
    source = f"{PAGE}: sustained stores"
    if block is Block.L1:
        return Cost(5, 5, Evidence.DOCUMENTED, source, unit="stores to L1", issue=1)
    if block is Block.SEMAPHORES:
        return Cost(1, 1, Evidence.DOCUMENTED, f"{PAGE}; SyncUnit", unit=SYNC_UNIT, issue=1)
    return Cost(1, 1, Evidence.DOCUMENTED, source)


@of_operands
def loading(context: InstructionContext, Address: int) -> Cost:
    """The latency of a load, whose result the next instruction uses."""
    return _loading(_region(context, Address), 0)


@of_operands
def polling(context: InstructionContext, Address: int) -> Cost:
    """The latency of the last load, and a branch."""
    return _loading(_region(context, Address), 1)


def _loading(region: MappedRegion, more: int) -> Cost:
    cycles = (region.cycles or 1) + more
    evidence = Evidence.ASSUMED if region.least else Evidence.DOCUMENTED
    source = f"{PAGE}: latency of loads{'; a lower bound there' if region.least else ''}"
    return Cost(cycles, cycles, evidence, source, issue=cycles)


@of_operands
def computing(_: InstructionContext, Count: int) -> Cost:
    """A cycle for each."""
    return Cost(Count, Count, Evidence.DOCUMENTED, f"{PAGE}: integer unit", issue=Count)


@of_operands
def one(_: InstructionContext) -> Cost:
    """A cycle."""
    return Cost(1, 1, Evidence.DOCUMENTED, f"{PAGE}: integer unit")


# -- conditions


@of_operands
def room(_: InstructionContext, core: Tensix, number: int) -> Blocked | None:
    """The FIFO has room."""
    return full(core, _thread(number))


@of_operands
def stored(_: InstructionContext, Address: int, core: Tensix, number: int) -> Blocked | None:
    """Where it stores there is room."""
    return blocks.waits_to_store(core, _thread(number), Address)


@of_operands
def loaded(_: InstructionContext, Address: int, core: Tensix, number: int) -> Blocked | None:
    """What it loads comes."""
    return blocks.waits_to_load(core, _thread(number), Address)


COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "eq": lambda found, wanted: found == wanted,
    "ne": lambda found, wanted: found != wanted,
    "ge": lambda found, wanted: found >= wanted,
    "lt": lambda found, wanted: found < wanted,
}


@of_operands
def polled(
    _: InstructionContext, Address: int, Value: int, Op: str, core: Tensix, number: int
) -> Blocked | None:
    """What it loads compares so."""
    found = blocks.load(core, _thread(number), Address)
    if COMPARISONS[Op](found, Value & MASK):
        return None
    name = address_text(Address)
    reason = f"it loads {found} from {name} until it is {Op} {Value & MASK}"
    return Blocked("polling", reason, core.next_change())


# -- rows


@ISA.instruction(
    Operand("Count", COUNT, "-", default=1, doc="how many instructions"),
    Operand("First", LINE, default=-1, doc="the pc of the first; -1 is that after the latest"),
    CORE,
    NUMBER,
    engines=CORES,
    cost=pushing("Count"),
    condition=room("core", "number"),
    source=PUSHES,
    example="PUSH Count=1",
    formula="the next Count instructions of the thread are pushed",
    setup="@t0 NOP\n@t1 NOP\n@t2 NOP",
)
def PUSH(First: int, core: Tensix, number: int) -> None:
    """Push instructions of the thread, each once there is room for it.

    Lines of the thread that come before another line of its core are pushed before that, and the
    rest at the end, so that a program need not have this. One that has it pushes everything by it.
    """
    thread = _thread(number)
    front = core.fronts[thread]
    front.push(core.around.now, front.last + 1 if First < 0 else First)
    core.around.changed(f"front {thread}")


def _both(context: InstructionContext) -> str | None:
    if context.operands["Rs"] and context.operands["Value"]:
        return "it is given a Value and a register Rs to store"
    return None


ONE_SOURCE = Rule("E0301", "what is stored is a number or a register", PAGE, _both)


def _mapped(context: InstructionContext) -> str | None:
    try:
        _region(context, context.operands["Address"])
    except Refused as refused:
        return refused.message
    return None


MAPPED = Rule("E0701", "addresses are those of the memory map", f"{PAGE}, memory map", _mapped)


@ISA.instruction(
    Operand("Address", Address(), doc="where to"),
    Operand("Value", WORD, default=0, doc="a number to store"),
    Operand("Rs", REGISTER, default=0, doc="or the register to store, x1 to x31"),
    Operand("Base", REGISTER, default=0, doc="the register that is added to the address"),
    CORE,
    NUMBER,
    engines=CORES,
    cost=storing("Address"),
    condition=stored("Address", "core", "number"),
    rules=(MAPPED, ONE_SOURCE),
    source=f"{PAGE}, memory map",
    example="SW GPR4, 42",
    formula="the word at Address + register Base = Value or register Rs",
)
def SW(
    Address: int, Value: int, Rs: int, Base: int, core: Tensix, number: int
) -> Callable[[], None]:
    """Store a word at an address of the core.

    Registers of the core have the address and the value already: what puts them there is not in it.
    """
    thread = _thread(number)
    value = int(core.riscs[thread].registers[Rs]) if Rs else Value & MASK
    blocks.store(core, thread, _based(core, thread, Address, Base), value)
    return core.settle


def _based(core: Tensix, thread: int, address: int, base: int) -> int:
    """An address with what a register adds, in the same region; raises Refused."""
    if not base:
        return address
    found = address + int(core.riscs[thread].registers[base]) & MASK & -4
    there = core.chip.addresses.region_at
    if there(found) is not there(address):
        message = f"{found:#x} lies in another region than {address:#x}, which the line names"
        raise Refused("E0701", message, "the line is to name the region for its cost")
    return found


WRITERS[SettingGroup.STORE] = [SW.name]


@ISA.instruction(
    Operand("Address", Address(), doc="where from"),
    Operand("Rd", REGISTER, default=0, doc="the register it goes to; x0 stays 0"),
    CORE,
    NUMBER,
    engines=CORES,
    cost=loading("Address"),
    condition=loaded("Address", "core", "number"),
    rules=(MAPPED,),
    source=f"{PAGE}, memory map; TTSync; Mailboxes",
    example="LW MOPExpanderDoneCheck",
    formula="register Rd = the word at Address, once there is one",
)
def LW(Address: int, Rd: int, core: Tensix, number: int) -> None:
    """Load a word, once there is one: TTSync lets it come later, a mailbox needs a value.

    The next instruction of the core begins once the word has come, as after one that uses it.
    """
    thread = _thread(number)
    value = blocks.load(core, thread, Address)
    if Rd:
        core.riscs[thread].registers[Rd] = value


WRITERS[SettingGroup.LOAD] = [LW.name]


def _kept(context: InstructionContext) -> str | None:
    address = context.operands["Address"]
    block = _region(context, address).block
    if block is Block.SYNC or (block is Block.MAILBOXES and not address & 4):
        return f"a load of {block.value} takes something, or waits by itself: load it once"
    return None


LOADED_OFTEN = Rule("E0301", "what is loaded again stays there", PAGE, _kept)


@ISA.instruction(
    Operand("Address", Address(), doc="where from"),
    Operand("Value", WORD, doc="what it is compared with"),
    Operand("Op", Choice(tuple(COMPARISONS), "comparison"), default="eq", doc="which ends it"),
    CORE,
    NUMBER,
    engines=CORES,
    cost=polling("Address"),
    rules=(MAPPED, LOADED_OFTEN),
    condition=polled("Address", "Value", "Op", "core", "number"),
    source=f"{PAGE}; TTSync: alternative synchronization mechanisms",
    example="POLL SEM1, 0",
    formula="load the word at Address until it compares so with Value",
)
def POLL(Address: int, Value: int, Op: str, core: Tensix, number: int) -> None:
    """Load a word again and again until it compares with a number.

    The last load is assumed to begin in the cycle in which it does; others lie some cycles apart.
    """
    blocks.load(core, _thread(number), Address)


@of_operands
def branching(_: InstructionContext) -> Cost:
    """A cycle, if the core expected where it goes; that it does is assumed, and else 3."""
    return Cost(1, 1, Evidence.ASSUMED, f"{PAGE}: integer unit; as predicted")


_BRANCH: Final[dict[str, Any]] = {
    "engines": CORES,
    "cost": branching(),
    "effect": Jump,
    "source": f"{PAGE}: integer unit",
}


@ISA.instruction(
    Operand("Rs1", REGISTER, doc="a register"),
    Operand("Rs2", REGISTER, doc="another; x0 is 0"),
    Operand("Target", Label(), doc="where to continue"),
    CORE,
    NUMBER,
    example="BNE 5, 0, again",
    formula="if register Rs1 != register Rs2: continue at Target",
    **_BRANCH,
)
def BNE(Rs1: int, Rs2: int, Target: str, core: Tensix, number: int) -> Jump:
    """Continue at a label of the core if two registers differ.

    What the thread has between the label and this is pushed again in each round.
    """
    registers = core.riscs[_thread(number)].registers
    return Jump(Target if registers[Rs1] != registers[Rs2] else None)


@ISA.instruction(
    Operand("Rs1", REGISTER, doc="a register"),
    Operand("Rs2", REGISTER, doc="another; x0 is 0"),
    Operand("Target", Label(), doc="where to continue"),
    CORE,
    NUMBER,
    example="BLT 0, 5, again",
    formula="if register Rs1 < register Rs2, with signs: continue at Target",
    **_BRANCH,
)
def BLT(Rs1: int, Rs2: int, Target: str, core: Tensix, number: int) -> Jump:
    """Continue at a label of the core if a register is less than another, as numbers with signs.

    What the thread has between the label and this is pushed again in each round.
    """
    first, second = core.riscs[_thread(number)].registers.view("<i4")[[Rs1, Rs2]].tolist()
    return Jump(Target if first < second else None)


@ISA.instruction(
    Operand("Rd", REGISTER, doc="the register that gets the sum"),
    Operand("Rs", REGISTER, doc="the register that is added to"),
    Operand("Imm", WORD, doc="what is added"),
    CORE,
    NUMBER,
    engines=CORES,
    cost=one(),
    source=f"{PAGE}: integer unit",
    example="ADDI 5, 0, 7",
    formula="register Rd = register Rs + Imm",
)
def ADDI(Rd: int, Rs: int, Imm: int, core: Tensix, number: int) -> None:
    """Add a number to a register of the core."""
    registers = core.riscs[_thread(number)].registers
    if Rd:
        registers[Rd] = int(registers[Rs]) + Imm & MASK


@ISA.instruction(
    Operand("Count", COUNT, "-", default=1, doc="how many there are"),
    engines=CORES,
    cost=computing("Count"),
    source=f"{PAGE}: integer unit",
    example="RVOPS Count=2",
    formula="nothing, for Count cycles",
)
def RVOPS() -> None:
    """Spend the time of integer instructions that are not written: a loop's counter and branch."""


@of_operands
def never(_: InstructionContext, core: Tensix, number: int) -> Blocked | None:
    """It is never executed itself."""
    return None


@ISA.instruction(
    CORE,
    NUMBER,
    engines=QUEUES,
    cost=one(),
    condition=never("core", "number"),
    source=PUSHES,
    example="PUSHED",
    formula="what RISC-V code pushes to the thread, in its place",
    setup=f"@t1 NOP\n@t2 NOP\n@trisc0 {RISCV_PREFIX}ttinsn 0x02000000",
)
def PUSHED(core: Tensix, number: int) -> None:
    """Execute the instructions that RISC-V code pushes to the thread, until no core may push more.

    A thread has two such lines, and no others, if a core executes code that may push to it: they
    are there without being written.
    """


FED_ROWS.add(PUSHED.name)

PUSHING: Final = Pushing(PUSH.name, "First", "Count", lambda name: name.startswith(RISCV_PREFIX))
"""The row with which a core pushes."""

LABELLED: Final = f"{ADDI.name} 5, 5, 0"
"""What examples of branches continue at."""
