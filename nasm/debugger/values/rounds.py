"""The variables of loops at run time: what registers of engines say of them."""

from __future__ import annotations

import re

from nasm.base.problems import Refused, listed
from nasm.program.program import Program
from nasm.runs.inspection import Inspection

UNKNOWN = "E0208"

_FORM = re.compile(r"([A-Za-z_]\w*)(?:\*(-?\d+))?(?: ([+-]) (\d+))?", re.ASCII)
"""A form of one variable, as a program names a register by it."""


def variables(program: Program) -> frozenset[str]:
    """The variables of all loops at run time that one register tells."""
    found = (_FORM.fullmatch(held.text) for held in program.loop_registers)
    return frozenset(match[1] for match in found if match is not None)


def engines(program: Program, name: str) -> list[str]:
    """The engines that count the rounds of a loop with such a variable."""
    queues = [h.queue for h in program.loop_registers if re.match(rf"{name}\b", h.text)]
    return [program.queue_name(queue) for queue in dict.fromkeys(queues)]


def rounds_at(held: Inspection, queue: int, pc: int) -> dict[str, int]:
    """The variables of the loops around an instruction, as the registers of its engine are now."""
    registers, found = held.machine.state.registers[queue], dict[str, int]()
    for number, text in held.program.register_names(queue, pc).items():
        match, value = _FORM.fullmatch(text), registers.values[number]
        if match is not None and registers.known[number] and type(value) is int:
            constant = int(match[4] or 0) * (-1 if match[3] == "-" else 1)
            found.setdefault(match[1], (value - constant) // int(match[2] or 1))
    return found


def round_of(held: Inspection, name: str, engine: str = "") -> int:
    """The round that an engine is in; without one, that of all who are in such a loop.

    Raises Refused if they are in several, or none is in one.
    """
    only = held.queue(engine).index if engine else None
    found: dict[str, int] = {}
    for queue in held.machine.scheduler.queues:
        if only is None or queue.index == only:
            value = rounds_at(held, queue.index, queue.pc).get(name)
            if value is not None:
                found[held.program.queue_name(queue.index)] = value
    if not found:
        who = f"@{engine} is" if engine else "no engine is"
        message = f"{who} in {'no ' if engine else 'a '}round of '.loop {name}' now"
        raise Refused(UNKNOWN, message, f"{name} is a number while an engine goes through the loop")
    if len({*found.values()}) > 1:
        message = listed((f"{value} for {who}" for who, value in found.items()), "and")
        hint = f"say whose: @{next(iter(found))}.{name}"
        raise Refused(UNKNOWN, f"engines are in different rounds: {name} is {message}", hint)
    return next(iter(found.values()))
