"""What to stop at, as a user writes it: texts to tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nasm.base.problems import Refused, listed, quoted
from nasm.base.records import dataclass
from nasm.debugger.moving import times
from nasm.debugger.moving.locations import CodeLocation, location, loop_variables
from nasm.debugger.moving.part_stops import OnPart
from nasm.debugger.moving.stops import (
    AfterLocation,
    AtTime,
    BeforeLocation,
    OnBirth,
    OnBlocked,
    OnCounter,
    OnHazard,
    OnMemory,
    OnRead,
    OnRegister,
    OnTransfer,
    Test,
    When,
)
from nasm.debugger.values.expressions import Expression
from nasm.debugger.values.rounds import UNKNOWN, engines, variables
from nasm.runs.execution import Execution
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View

WRONG = "E0822"

_COUNTER = re.compile(r"\$(\w+)(?:\s*(>=|<=|==|!=|<|>)\s*(-?\d+))?")
_REGISTER = re.compile(r"(?:@?([\w.]*?)\.?\s*)%r(\d+)")
_RANGE = re.compile(
    r"(?:(\d+)\.)?(\w+)(?:\s+bank\s+(\d+)|\s+(\d+):(\d+)(?:\s+partitions?\s+(\d+)(?::(\d+))?)?)"
)


AFTER = "after"
WATCHED = ("changed", "written", "read")
"""How a breakpoint may be requested, and what a watchpoint waits for."""

Condition = Callable[[dict[str, int]], bool]
"""Whether something holds now; it is given the variables of the loops around an instruction."""


class StopRequest(NamedTuple):
    """What was asked for: where, and ``after`` it, or what to watch it for."""

    what: str
    how: str = ""


@dataclass(frozen=True, slots=True)
class Spec:
    """Something to stop at: in words, its test, and what is worth knowing about it."""

    what: str
    test: Test
    note: str = ""


def asked_for(running: Execution, asked: StopRequest) -> Spec:
    """What the user wants to stop at; raises Refused or Failure."""
    if asked.how in ("", AFTER):
        return breaking(running, asked.what, asked.how == AFTER)
    if asked.how not in WATCHED:
        message = f"memory is watched for being {listed(WATCHED, 'or')}, not '{quoted(asked.how)}'"
        raise Refused(WRONG, message)
    return watching(running, asked.what, asked.how)


def lines(commands: str | Sequence[str]) -> tuple[str, ...]:
    """Commands that are attached to something, one by one; in a text semicolons part them."""
    parts = commands.split(";") if isinstance(commands, str) else commands
    return tuple(line for part in parts if (line := part.strip()))


def when(running: Execution, text: str) -> When:
    """An expression to be true; raises Failure if it is none."""
    expression, program = Expression(running, text), running.program
    for name in sorted(variables(program) & expression.used - {*program.tensors}):
        whose = engines(program, name)
        if len(whose) > 1:
            message = f"{name} is a number of each engine that goes through the loop"
            hint = f"say whose: {listed((f'@{engine}.{name}' for engine in whose), 'or')}"
            raise Refused(WRONG, message, hint)

    def holds() -> bool:
        try:
            return expression.value(running).holds
        except Refused as refused:
            if refused.code != UNKNOWN:
                raise
            return False  # the engine is in no round of such a loop now

    return When(running, text, holds)


def condition(running: Execution, text: str) -> Condition:
    """A condition, which may use the variables of loops; false where one of them is none.

    Raises Failure.
    """
    variables = loop_variables(running.program)
    expression = Expression(running, text, variables)
    used = variables & expression.used

    def holds(names: dict[str, int]) -> bool:
        if not used <= names.keys():
            return False
        return expression.value(running, {name: names[name] for name in used}).holds

    return holds


def breaking(running: Execution, text: str, after: bool = False) -> Spec:
    """What ``break`` takes; raises Refused or Failure."""
    word, _, rest = text.strip().partition(" ")
    made = _WORDS.get(word)
    if made is not None and not after:
        return made(running, rest.strip())
    if not after:
        other = _counter(running, text) or _register(running, text)
        if other is not None:
            return other
        if re.fullmatch(r"[\d.,_]+\s*(us|µs|ns|cycles?)", text.strip()):
            return _time(running, text)
    found = location(running, text.strip().removeprefix("line "))
    test: type[BeforeLocation | AfterLocation] = AfterLocation if after else BeforeLocation
    return Spec(f"{'after' if after else 'before'} {found.text}", test(running, found), found.moved)


def _time(running: Execution, text: str) -> Spec:
    tick = times.tick(running, text)
    return Spec(f"at {running.machine.microseconds(tick):,.3f} µs", AtTime(running, tick))


def _blocked(running: Execution, text: str) -> Spec:
    words = text.split()
    if not words or not words[0].isdecimal() or len(words) > 2 or len(words[0]) > 15:
        raise Refused(WRONG, "blocked for how many cycles?", "break held 1000, break held 99 sync")
    queue = running.queue(words[1]).index if words[1:] else None
    whom = f"@{running.program.queue_name(queue)}" if queue is not None else "an engine"
    return Spec(f"{whom} blocked for {words[0]} cycles", OnBlocked(running, int(words[0]), queue))


def _transfer(running: Execution, text: str) -> Spec:
    word, _, rest = text.partition(" ")
    which = word if word in ("start", "land") else ""
    where = rest.strip() if which else text
    found: CodeLocation | None = location(running, where) if where else None
    verbs = {"start": "starts", "land": "has landed"}.get(which, "starts or has landed")
    test = OnTransfer(running, which != "land", which != "start", found)
    of = f" of {found.text}" if found else ""
    return Spec(f"a transfer{of} {verbs}", test, found.moved if found else "")


def _hazard(running: Execution, text: str) -> Spec:
    if text and not re.fullmatch(r"[EWew]\d{4}", text):
        raise Refused(WRONG, f"no code '{quoted(text)}'", "break hazard, break hazard E0501")
    code = text.upper()
    return Spec(f"hazard {code}".strip(), OnHazard(running, code))


def _birth(running: Execution, text: str) -> Spec:
    if text:
        raise Refused(WRONG, f"'nan' takes nothing, found '{quoted(text)}'")
    return Spec("the first NaN or infinity", OnBirth(running))


def _if(running: Execution, text: str) -> Spec:
    return Spec(f"{text} is true", when(running, text))


_WORDS: dict[str, Callable[[Execution, str], Spec]] = {
    "if": _if,
    "cycle": _time,
    "time": _time,
    "held": _blocked,
    "transfer": _transfer,
    "hazard": _hazard,
    "nan": _birth,
}


def words() -> dict[str, str]:
    """The words that ``break`` takes in addition to locations, with what each means."""
    return {
        "cycle": "a cycle of the base clock",
        "time": "a time",
        "held": "an engine that is blocked for longer than N cycles",
        "transfer": "a transfer that starts or has landed",
        "hazard": "a hazard, any or of one code",
        "nan": "the first NaN or infinity that is made",
    }


def _counter(running: Execution, text: str) -> Spec | None:
    found = _COUNTER.fullmatch(text.strip())
    if found is None:
        return None
    name, number = found[1], running.semaphore(found[1])
    if found[2] is None:
        return Spec(f"${name} changes", OnCounter(running, number, None))
    wanted = found[2], int(found[3])
    return Spec(f"${name} {found[2]} {found[3]}", OnCounter(running, number, wanted))


def _register(running: Execution, text: str) -> Spec | None:
    found = _REGISTER.fullmatch(text.strip())
    if found is None:
        return None
    if not found[1]:
        raise Refused(WRONG, f"%r{found[2]} of which engine?", f"as in @scalar.%r{found[2]}")
    queue = running.queue(found[1]).index
    count = len(running.machine.state.registers[queue].values)
    if int(found[2][:9]) >= count:
        raise Refused(WRONG, f"no register %r{found[2]}: there are {count}")
    name = running.program.queue_name(queue)
    return Spec(f"%r{found[2]} of {name} changes", OnRegister(running, queue, int(found[2])))


def watching(running: Execution, text: str, how: str = "changed") -> Spec:
    """What ``watch`` takes: memory, a semaphore, a register, or a part of what a core holds.

    Raises Refused or Failure.

    ``how`` is changed, written, or read.
    """
    text = str(text)
    place = running.spelled(text)
    other = _counter(running, place) or _register(running, place) or _part_of(running, text, how)
    if other is not None:
        return other
    if not running.values:
        raise Refused(WRONG, "nothing to watch: the run has no values")
    views = _range(running, text) or (running.view(text),)
    if any(view.dynamic for view in views):
        raise Refused(WRONG, f"'{quoted(text)}' starts where a register says")
    name = " ".join(text.split())
    if how == "read":
        return Spec(f"{name} is read", OnRead(running, views, name))
    return Spec(f"{name} is {how}", OnMemory(running, views, name, how == "changed"))


def _part_of(running: Execution, text: str, how: str) -> Spec | None:
    """What changes by what a core holds, parts of that and memory that it writes, is compared."""
    if not running.program.held_parts or _RANGE.fullmatch(text.strip()):
        return None
    expression = Expression(running, text)
    if not expression.polled:
        return None
    name = " ".join(text.split())
    if how == "read":
        why = "a core holds it" if expression.held else "instructions reach it by address"
        message = f"who reads {quoted(name)} is not known: {why}"
        raise Refused(WRONG, message, f"'watch {name}' stops where it changes")
    if not (expression.held or running.values):
        return None
    test = OnPart(running, name, lambda: expression.value(running))
    return Spec(f"{name} is changed", test)


def _range(running: Execution, text: str) -> tuple[View, ...]:
    """The parts of tensors in a bank or a range of bytes of a memory; none if it says no such."""
    found = _RANGE.fullmatch(text.strip())
    memories = running.program.generation.memories
    if found is None or found[2] not in memories or found[2] in running.program.tensors:
        return ()
    memory, core = memories[found[2]], int(found[1] or 0)
    if found[3] is not None:
        if int(found[3]) >= memory.banks:
            raise Refused(WRONG, f"no bank {found[3]}: {memory.name} has {memory.banks}")
        low, high = int(found[3]) * memory.bank, (int(found[3]) + 1) * memory.bank
    else:
        low, high = int(found[4]), int(found[5])
    first, last = (int(found[6]), int(found[7] or int(found[6]) + 1)) if found[6] else (0, 1 << 30)
    parts = (
        _part(tensor, low, high, first, last)
        for tensor in running.program.tensors.values()
        if tensor.memory is memory and (memory.shared or tensor.core == core)
    )
    views = tuple(running.view(part) for part in parts if part)
    if not views:
        raise Refused(
            WRONG, f"no tensor is in {quoted(text)}", "'info tensors' says where they are"
        )
    return views


def _part(tensor: Tensor, low: int, high: int, first: int, last: int) -> str:
    """A part of a tensor as its bytes, in words of the language; empty if it is not there."""
    memory: Memory = tensor.memory
    at, size = tensor.offset or 0, tensor.bytes
    begin, end = max(low, at) - at, min(high, at + size) - at
    if begin >= end:
        return ""
    if not memory.partitions:
        return f"{tensor.name}.reshape({tensor.elements}).view(u8)[{begin}:{end}]"
    row, rows = tensor.partition or 0, tensor.partitions
    top, bottom = max(first, row) - row, min(last, row + rows) - row
    if top >= bottom:
        return ""
    flat = f"{tensor.name}.reshape({rows}, {tensor.elements})"
    return f"{flat}.view(u8)[{top}:{bottom}, {begin}:{end}]"
