"""What a line of a core does when it starts, and what it waits for before.

Sources: BabyRISCV and MemoryOrdering of the public ISA documentation of Wormhole B0. Assumed is
that instructions are in the core's cache, and that a load reads, and a store writes, in the cycle
in which it starts, unless it is late: see ``late.py``. Whether branches go where the core predicts
is an option.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.isa.micro_instructions import Elsewhere
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.memory_map import LOCAL, Block
from nasm.targets.tensix.risc_state import NC, RiscCore, RiscPipeline
from nasm.targets.tensix.riscv import access, cores, debugging, late, reaching
from nasm.targets.tensix.riscv.code import IRAM, CodeLine, RiscCode
from nasm.targets.tensix.riscv.decode import DecodedWord
from nasm.targets.tensix.riscv.formats import WORD
from nasm.targets.tensix.riscv.interpreter import Step
from nasm.targets.tensix.riscv.late import IN_UNIT, KNOWN, LOCAL_CYCLES, STORES
from nasm.targets.tensix.riscv.operands import TEXTS
from nasm.targets.tensix.riscv.operations import SIGNED_DIVISIONS, Does, IntegerTime, divide_cycles

OVERWRITTEN, MISALIGNED, OVERTAKES, DURING_SYNC = "E0559", "E0565", "E0866", "E0867"
"""Codes: a line whose word in memory is another one now, an address that is rounded down, a load
that overtakes a store to its bytes, and one that comes while a load of TTSync is outstanding."""

VALUELESS: Final = "E0518"
"""The code of a read in a run without values."""

BRANCHING: Final = frozenset({Does.BRANCH, Does.JUMP, Does.JUMP_REGISTER})
"""What the core predicts."""

_AFTER_SYNC: Final = frozenset({Block.SYNC, Block.CORE_B, Block.SEMAPHORES, Block.MAILBOXES})
"""Where no load may begin while one of TTSync is outstanding, by a bug of the hardware."""

_REACHING: Final = frozenset({Does.LOAD, Does.STORE, Does.PUSHES, Does.ATOMIC, Does.STATUS})


def code_of(core: Tensix, number: int) -> RiscCode:
    """The code of a core that executes."""
    code = core.codes[number]
    assert isinstance(code, RiscCode)
    return code


def line_of(core: Tensix, number: int) -> CodeLine:
    """The line of a core that is next, or starts."""
    place = core.around.place
    assert isinstance(place, tuple)
    return code_of(core, number).lines[place[1]]


# -- waits


def waits(core: Tensix, engine: int) -> Blocked | None:
    """What keeps the line of a core from starting."""
    number = cores.number_of(engine)
    risc, line = core.riscs[number], line_of(core, number)
    if risc.begins:
        return _held(core, number) if cores.in_reset(core, number) else None
    if risc.paused:  # without another core to change that it is at its end: see entered
        return _paused(number) if any(cores.running(core, number)) else None
    if not line.decoded:
        return None
    found = line.decoded[0]
    if core.late:
        core.settle()
    return late.sooner(core, number, _waits(core, number, risc, found))


def _waits(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> Blocked | None:
    """What keeps an instruction from starting."""
    pipeline, now = risc.pipeline, core.around.now
    until, cause, reason = _pipeline(pipeline, found, now)
    if until >= KNOWN:
        return late.blocked(core, number, True, reason)
    if until > now:
        return Blocked(cause, reason, until, completions=False)
    does = found.operation.does
    full = len(pipeline.stores) == STORES and pipeline.stores[0].tick > now
    if full and _needs_room(core, number, risc, found):
        reason = f"{STORES} stores are in its queue"
        return _emitting(core, number, reason, pipeline.stores[0].tick)
    if does is Does.LOAD:
        return _loading(core, number, risc, reaching.address_of(risc, found), found.operation.size)
    if does is Does.ATOMIC or (does is Does.FENCE and core.chip.cores.fences):
        return _draining(core, number, risc)
    return None


def _needs_room(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> bool:
    """Whether an instruction waits while the store queue is full: each, or only what stores."""
    does = found.operation.does
    if not core.chip.cores.coalesces:
        return True
    if does is Does.PUSHES:
        return True
    last = risc.pipeline.stores[-1]
    return does is Does.STORE and not reaching.coalesces(
        core, risc, last, reaching.address_of(risc, found)
    )


def _draining(core: Tensix, number: int, risc: RiscCore) -> Blocked | None:
    """What waits until the store queue is empty, and all loads have come back."""
    pipeline, now = risc.pipeline, core.around.now
    if pipeline.stores and pipeline.stores[-1].tick > now:
        return _emitting(core, number, "its store queue is not empty", pipeline.stores[-1].tick)
    flying = [tick for tick in pipeline.loads if tick > now]
    if not flying:
        return None
    reason, until = "its loads have not come back", max(flying)
    if until >= KNOWN:
        return late.blocked(core, number, True, reason)
    return Blocked("load", reason, until, completions=False)


def _emitting(core: Tensix, number: int, reason: str, until: int) -> Blocked:
    """What waits until a store has left the queue."""
    if until >= KNOWN:
        return late.blocked(core, number, False, reason)
    return Blocked("stores", reason, until, completions=False)


def _held(core: Tensix, number: int) -> Blocked:
    """A core in reset."""
    return Blocked("reset", "it is held in reset", by=cores.others(number), on=("cores",))


def _pipeline(pipeline: RiscPipeline, found: DecodedWord, now: int) -> tuple[int, str, str]:
    """When registers are there, the integer unit is free, and the load/store unit has room."""
    until, cause, reason = pipeline.free, "integer", "its integer unit is busy"
    leaving, late = pipeline.leaving, 0
    if len(leaving) == IN_UNIT and leaving[0] - 1 > until:
        text = f"{IN_UNIT} instructions are in its load/store unit"
        until, cause, reason = leaving[0] - 1, "load", text
    for register in (found.rs1, found.rs2):
        if register and register == pipeline.forwarded:
            late = register
        elif register and (ready := int(pipeline.ready[register])) > until:
            until, cause, reason = ready, "load", f"{TEXTS[register]} is not there yet"
    if late and max(until, now) > pipeline.latest + 1:  # it is not forwarded any more
        ready = int(pipeline.ready[late])
        if ready > until:
            until, cause, reason = ready, "load", f"{TEXTS[late]} is not there yet"
    return until, cause, reason


def _loading(core: Tensix, number: int, risc: RiscCore, address: int, size: int) -> Blocked | None:
    """What a load waits for besides."""
    pipeline, now, facts = risc.pipeline, core.around.now, core.chip.cores
    for emitted, stored, end, _ in pipeline.stores:
        same = stored < address + size and address < end if facts.coalesces else stored == address
        if same and emitted > now:
            reason = "its store to the same address is still in the queue"
            return _emitting(core, number, reason, emitted)
    flying = [tick for tick in pipeline.loads if tick - 1 > now]
    if len(flying) < facts.loads or access.region_of(core, number, address).cycles <= LOCAL_CYCLES:
        return None
    reason, until = f"{facts.loads} loads are in flight", min(flying) - 1
    if until >= KNOWN:
        return late.blocked(core, number, True, reason)
    return Blocked("load", reason, until, completions=False)


# -- what it does


def execute(core: Tensix, engine: int) -> None:
    """Execute a line, and note which one is next. Raises Refused."""
    number = cores.number_of(engine)
    risc, code = core.riscs[number], code_of(core, number)
    place = core.around.place
    assert isinstance(place, tuple)
    pc = int(place[1])
    line = code.lines[pc]
    if risc.begins or risc.paused or risc.line != pc:
        return  # reset, or a debugger, has aborted it: the core continues where that says
    if core.altered or line.address >= IRAM:
        _check_memory(core, number, code, line)
    if len(line.decoded) != len(line.words) or not line.decoded:
        raise _no_instruction(line, code)
    to, now = line.address, core.around.now
    for tick, (found, step) in enumerate(zip(line.decoded, line.steps, strict=True), now):
        to = _step(core, number, found, step, to, tick)
    if risc.watched:
        for at in range(line.address, to if len(line.words) > 1 else line.address + 4, 4):
            debugging.met(risc, at, debugging.EXECUTED)
    if risc.stepping:
        risc.paused, risc.stepping, risc.reason = True, False, 0
    risc.executed += len(line.words)
    after = line.address + 4 * len(line.words)
    risc.line = pc + 1 if to == after else code.pc_at(to)
    if risc.line == pc and not any(one.operation.does in _REACHING for one in line.decoded):
        risc.line = len(code.lines) - 1  # it stays at this line for ever


def entered(core: Tensix, engine: int, pc: int) -> Blocked | Elsewhere | None:
    """What keeps a core from its next line, or where it continues instead; None for neither.

    One that is held in reset, or paused, reaches its end once no other can change that.
    """
    number = cores.number_of(engine)
    risc, code = core.riscs[number], code_of(core, number)
    if risc.pipeline.late and (risc.paused or code.lines[risc.line].ends):
        core.settle()
        if risc.pipeline.late:
            return late.blocked(core, number, True, "what it has begun is not over")
    if risc.begins or risc.paused:
        held = cores.in_reset(core, number)
        if held or risc.paused:
            if any(cores.running(core, number)):
                return _held(core, number) if held else _paused(number)
            end(core, number)
            return Elsewhere(len(code.lines))
        risc.line = begin(core, number)
    if code.lines[risc.line].ends:
        end(core, number)
        return Elsewhere(len(code.lines))
    return None if risc.line == pc else Elsewhere(risc.line)


def _paused(number: int) -> Blocked:
    """A core that waits for a debugger."""
    return Blocked("paused", "it is paused", by=cores.others(number), on=("cores",))


def begin(core: Tensix, number: int) -> int:
    """Let a core begin after its reset, with registers of 0; the pc of its first line."""
    risc, code = core.riscs[number], code_of(core, number)
    there = code.pc_at(cores.reset_pc(core, number))
    _check_image(core, code)
    risc.registers[:] = 0
    risc.cycles, risc.executed = core.around.now, 0
    risc.pipeline.clear(core.around.now)
    risc.begins, risc.paused = False, False
    return there


def end(core: Tensix, number: int) -> None:
    """A core executes nothing more."""
    core.riscs[number].ended = True
    core.around.changed("cores", *(f"front {thread}" for thread in range(len(core.fed))))


def _check_image(core: Tensix, code: RiscCode) -> None:
    """Refuse code where memory has something else as its core begins; raises Refused.

    A run without values does not know what memory has.
    """
    for address, data in code.image():
        if address >= LOCAL or not len(data):
            continue
        try:
            held = core.l1.read(address, len(data))
        except Refused as refused:
            if refused.code == VALUELESS:
                return
            raise
        if not np.array_equal(held, data):
            message = f"memory has something else than its lines from {address:#x} on"
            raise Refused(OVERWRITTEN, message, "place tensors elsewhere, with @ ADDRESS")


def _no_instruction(line: CodeLine, code: RiscCode) -> Refused:
    if not line.words:
        return Refused("E0701", f"{line.address:#x} has no instruction: it is space")
    where = code.place_of(line.address)
    message = f"{line.words[0]:#010x} at {line.address:#x} is no instruction of these cores"
    hint = "these cores execute such a word as some other instruction"
    return Refused("E0701", message, f"{hint}; it is {where}" if where else hint)


def _check_memory(core: Tensix, number: int, code: RiscCode, line: CodeLine) -> None:
    """Refuse a line that memory does not have any more, or not yet; raises Refused."""
    if line.address >= IRAM and number == NC:
        first, count = line.address - IRAM, 4 * len(line.words)
        held = core.iram[first : first + count].view("<u4").tolist()
        if core.iram_known[first : first + count].all() and held == list(line.words):
            return
        message = f"the instruction memory of NC does not have this line at {line.address:#x}"
        raise Refused("E0701", message, "let the mover copy it there before")
    first = (line.address - core.code_low) >> 2
    for at in range(first, first + len(line.words)):
        if 0 <= at < len(core.overwritten) and core.overwritten[at]:
            address = core.code_low + 4 * at
            message = f"its word at {address:#x} was overwritten: what the core executes then "
            message += "depends on its cache"
            raise Refused(OVERWRITTEN, message, "code is what the lines of the program are")


def _step(
    core: Tensix, number: int, found: DecodedWord, step: Step | None, pc: int, now: int
) -> int:
    """Execute one word at a tick, note when others may follow, and return the pc of the next."""
    risc = core.riscs[number]
    leaves, does = 0, found.operation.does
    if step is not None:
        registers = [*risc.registers.tolist(), 0]
        branch = core.branch_cycles if does in BRANCHING else 1
        _occupy(core, risc.pipeline, found, registers, now, branch)
        pc = step(registers)
        if found.rd:
            risc.registers[found.rd] = registers[found.rd]
    else:
        if does is Does.LOAD:
            leaves = now + reaching.load(core, number, risc, found)
        elif does is Does.STORE:
            reaching.store(core, number, risc, found)
        elif does is Does.PUSHES:
            reaching.push(core, number, risc, found)
        elif does is Does.ATOMIC:
            leaves = now + reaching.exchange(core, number, risc, found)
        elif does is Does.STATUS:
            reaching.read_and_write(core, number, risc, found)
        else:
            risc.paused, risc.reason = True, debugging.AT_BREAK
            core.around.changed("cores")
        pc = pc + 4 & WORD
    _entered(core, risc.pipeline, found, now, leaves)
    return pc


def _occupy(
    core: Tensix,
    pipeline: RiscPipeline,
    found: DecodedWord,
    registers: list[int],
    now: int,
    cycles: int,
) -> None:
    """Note until when the integer unit is busy, unless it is longer for what it computes."""
    operation = found.operation
    if operation.time is IntegerTime.MULTIPLY:
        cycles = core.chip.cores.multiply
    elif operation.time is IntegerTime.DIVIDE:
        signs = operation.name in SIGNED_DIVISIONS
        cycles = divide_cycles(registers[found.rs1], registers[found.rs2], signs)
    pipeline.free = now + cycles


def _entered(
    core: Tensix, pipeline: RiscPipeline, found: DecodedWord, now: int, leaves: int
) -> None:
    """Note an instruction that enters the load/store unit, which they leave in order, one a cycle.

    A load ``leaves`` it at a tick, with what is loaded; others pass through it. Where instructions
    retire it is that queue, and what is computed may be used before: a product after two cycles.
    The next instruction may always use what the one before it has computed.
    """
    rd, retires = found.rd, core.chip.cores.retires
    pipeline.latest = max(now, pipeline.free - 1)
    if retires and not leaves and found.operation.time is IntegerTime.MULTIPLY:
        leaves = pipeline.latest + 2
    pipeline.forwarded = 0 if leaves else rd
    late.entered(pipeline, rd, leaves)
    result = leaves or pipeline.latest + 1
    leaves = max(leaves, pipeline.latest + 2, pipeline.leaving[-1] + 1)
    pipeline.leaving = (*pipeline.leaving[1 - IN_UNIT :], leaves)
    late.written(pipeline, rd, result, leaves, retires)
    if core.chip.cores.fences and found.operation.does in (Does.FENCE, Does.STATUS):
        pipeline.free = max(pipeline.free, leaves)
