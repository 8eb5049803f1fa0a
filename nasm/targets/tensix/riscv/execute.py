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
from nasm.targets.tensix.memory_map import INSTRUCTIONS, LOCAL, Block
from nasm.targets.tensix.risc_state import NC, LateAccess, RiscCore, RiscPipeline
from nasm.targets.tensix.riscv import access, cores, debugging, late, pushing
from nasm.targets.tensix.riscv.code import IRAM, CodeLine, RiscCode
from nasm.targets.tensix.riscv.decode import DecodedWord
from nasm.targets.tensix.riscv.formats import WORD
from nasm.targets.tensix.riscv.interpreter import Step, filled
from nasm.targets.tensix.riscv.late import IN_UNIT, KNOWN, LOCAL_CYCLES, NEVER, STORE_CYCLES, STORES
from nasm.targets.tensix.riscv.operands import TEXTS
from nasm.targets.tensix.riscv.operations import SIGNED_DIVISIONS, Does, IntegerTime, divide_cycles

OVERWRITTEN, MISALIGNED, OVERTAKES, DURING_SYNC = "E0559", "E0565", "E0866", "E0867"
"""Codes: a line whose word in memory is another one now, an address that is rounded down, a load
that overtakes a store to its bytes, and one that comes while a load of TTSync is outstanding."""

VALUELESS: Final = "E0518"
"""The code of a read in a run without values."""

LOADS: Final = 4
"""Loads in flight from beyond the local memory."""

BRANCHING: Final = frozenset({Does.BRANCH, Does.JUMP, Does.JUMP_REGISTER})
"""What the core predicts."""

_AFTER_SYNC: Final = frozenset({Block.SYNC, Block.CORE_B, Block.SEMAPHORES, Block.MAILBOXES})
"""Where no load may begin while one of TTSync is outstanding, by a bug of the hardware."""

_REACHING: Final = frozenset({Does.LOAD, Does.STORE, Does.PUSHES})


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
    if len(pipeline.stores) == STORES and pipeline.stores[0][0] > now:
        return _emitting(core, number, f"{STORES} stores are in its queue", pipeline.stores[0][0])
    if found.operation.does is Does.LOAD:
        return _loading(core, number, risc, _address(risc, found))
    return None


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


def _loading(core: Tensix, number: int, risc: RiscCore, address: int) -> Blocked | None:
    """What a load waits for besides."""
    pipeline, now = risc.pipeline, core.around.now
    for emitted, stored in pipeline.stores:
        if stored == address and emitted > now:
            reason = "its store to the same address is still in the queue"
            return _emitting(core, number, reason, emitted)
    flying = [tick for tick in pipeline.loads if tick - 1 > now]
    if len(flying) < LOADS or access.region_of(core, number, address).cycles <= LOCAL_CYCLES:
        return None
    reason, until = f"{LOADS} loads are in flight", min(flying) - 1
    if until >= KNOWN:
        return late.blocked(core, number, True, reason)
    return Blocked("load", reason, until, completions=False)


def _address(risc: RiscCore, found: DecodedWord) -> int:
    """The address of a load or store, rounded down to a multiple of its size."""
    address = int(risc.registers[found.rs1]) + found.immediate & WORD
    return address & -found.operation.size


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
    message = f"{line.words[0]:#010x} at {line.address:#x} is no instruction of RV32IM"
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
        _occupy(risc.pipeline, found, registers, now, branch)
        pc = step(registers)
        if found.rd:
            risc.registers[found.rd] = registers[found.rd]
    else:
        if does is Does.LOAD:
            leaves = now + _load(core, number, risc, found)
        elif does is Does.STORE:
            _store(core, number, risc, found)
        elif does is Does.PUSHES:
            _push(core, number, risc, found)
        else:
            risc.paused, risc.reason = True, debugging.AT_BREAK
            core.around.changed("cores")
        pc = pc + 4 & WORD
    _entered(risc.pipeline, found.rd, now, leaves)
    return pc


def _occupy(
    pipeline: RiscPipeline, found: DecodedWord, registers: list[int], now: int, cycles: int
) -> None:
    """Note until when the integer unit is busy, unless it is longer for what it computes."""
    operation = found.operation
    if operation.time is IntegerTime.MULTIPLY:
        cycles = 2
    elif operation.time is IntegerTime.DIVIDE:
        signs = operation.name in SIGNED_DIVISIONS
        cycles = divide_cycles(registers[found.rs1], registers[found.rs2], signs)
    pipeline.free = now + cycles


def _entered(pipeline: RiscPipeline, rd: int, now: int, leaves: int) -> None:
    """Note an instruction that enters the load/store unit, which they leave in order, one a cycle.

    A load ``leaves`` it at a tick, with what is loaded; others pass through it.
    """
    pipeline.latest = max(now, pipeline.free - 1)
    pipeline.forwarded = 0 if leaves else rd
    late.entered(pipeline, rd, leaves)
    leaves = max(leaves, pipeline.latest + 2, pipeline.leaving[-1] + 1)
    pipeline.leaving = (*pipeline.leaving[1 - IN_UNIT :], leaves)
    if rd:
        pipeline.ready[rd] = leaves


def _load(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> int:
    """Load; the cycles that it takes, or that it takes until a tick that is not known."""
    operation, pipeline, now = found.operation, risc.pipeline, core.around.now
    size, address = operation.size, _aligned(core, risc, found)
    if risc.watched:
        debugging.met(risc, address, debugging.LOADED, debugging.STORED + 1)
    _look_for_dangers(core, number, pipeline, address, size)
    region = access.region_of(core, number, address)
    cycles = region.cycles
    if late.waits_to_load(core, number, address) is not None:
        place = core.around.place
        one = LateAccess(True, address, size, place, rd=found.rd, signed=operation.signed)
        late.defer(core, number, one)
        cycles = NEVER - now
    else:
        value = late.loaded(core, number, address, size)
        if found.rd:
            risc.registers[found.rd] = filled(value, size) if operation.signed else value
    if cycles > LOCAL_CYCLES:
        flying = (tick for tick in pipeline.loads if tick - 1 > now)
        pipeline.loads = (*flying, now + cycles)
    if region.block is Block.SYNC:
        pipeline.sync = now + cycles
    return cycles


def _look_for_dangers(
    core: Tensix, number: int, pipeline: RiscPipeline, address: int, size: int
) -> None:
    """Report a load that these cores are documented to get wrong."""
    now = core.around.now
    for one in pipeline.late:
        if not one.loads and one.address < address + size and address < one.address + one.size:
            text = (
                f"it loads from {address:#x}, where a store to {one.address:#x} is still to write"
            )
            hint = "load from the address of the store first: that waits for it"
            core.around.report(OVERTAKES, text, hint)
    if pipeline.sync > now and access.region_of(core, number, address).block in _AFTER_SYNC:
        text = (
            "it begins while a load of TTSync is outstanding: it may load something else, or hang"
        )
        core.around.report(DURING_SYNC, text, "use what the load of TTSync gives before")


def _store(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> None:
    operation, address = found.operation, _aligned(core, risc, found)
    value = int(risc.registers[found.rs2]) & (1 << 8 * operation.size) - 1
    if late.waits_to_store(core, number, address) is not None:
        _put_off(core, number, risc, address, operation.size, value)
    else:
        late.stored(core, number, address, operation.size, value)
        _emitted(risc.pipeline, core.around.now, address)
    if risc.watched:
        debugging.met(risc, address, debugging.STORED, debugging.STORED + 1)


def _push(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> None:
    """Push a Tensix instruction: a store to where they are pushed."""
    waits = pushing.room(core, number, number)
    if waits is not None or any(not one.loads for one in risc.pipeline.late):
        _put_off(core, number, risc, INSTRUCTIONS, 4, found.immediate)
    else:
        pushing.push(core, number, number, found.immediate)
        _emitted(risc.pipeline, core.around.now, INSTRUCTIONS)


def _put_off(
    core: Tensix, number: int, risc: RiscCore, address: int, size: int, value: int
) -> None:
    """A store waits in the queue."""
    late.defer(core, number, LateAccess(False, address, size, core.around.place, value=value))
    pipeline = risc.pipeline
    pipeline.stores = (*pipeline.stores[1 - STORES :], (NEVER, address))


def _emitted(pipeline: RiscPipeline, now: int, address: int) -> None:
    """Note when a store leaves its queue: in order, and to L1 one every five cycles."""
    at = max(now + 1, pipeline.stores[-1][0] if pipeline.stores else 0)
    if address < LOCAL:
        to_l1 = (tick + STORE_CYCLES for tick, other in pipeline.stores if other < LOCAL)
        at = max((at, *to_l1))
    pipeline.stores = (*pipeline.stores[1 - STORES :], (at, address))


def _aligned(core: Tensix, risc: RiscCore, found: DecodedWord) -> int:
    """The address of a load or store; one that is rounded down is reported."""
    address = _address(risc, found)
    exact = int(risc.registers[found.rs1]) + found.immediate & WORD
    if exact != address:
        text = f"{exact:#x} is no multiple of {found.operation.size}: the core takes {address:#x}"
        core.around.report(MISALIGNED, text, "give an aligned address")
    return address
