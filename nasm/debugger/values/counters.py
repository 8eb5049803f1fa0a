"""What expressions may use of a machine in addition to tensors, and its value at a moment.

Semaphores (``$loaded``), registers (``@scalar.%r0``), rounds of loops at run time (``@scalar.k``)
and parts of a core given by number (``@1.dst``) are no names for the parser: each is read as a
name as long, so that places in the text stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from nasm.base.problems import Failure, Problem, Refused, did_you_mean
from nasm.base.records import replace
from nasm.base.source import Source, Span
from nasm.debugger.values import core_parts
from nasm.debugger.values.rounds import round_of, variables
from nasm.runs.inspection import Inspection

_COUNTER = re.compile(
    r"\$([A-Za-z_]\w*)|@((?:\d{1,9}\.)?[A-Za-z_]\w*)\.(?:%r(\d{1,9})(?!\w)|([A-Za-z_]\w*))",
    re.ASCII,
)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_LETTERS = "_abcdefghijklmnopqrstuvwxyz"

Counter = Callable[[Inspection], int | None]
"""What a semaphore or a register holds; None if that is not known."""


def with_names(
    held: Inspection, source: Source
) -> tuple[str, dict[str, Counter], dict[str, core_parts.PartPlace]]:
    """The text with a name, as long, for each semaphore and register, and what these hold.

    The same applies to each part of what a core holds that is given with a core's number.
    """
    text = source.text
    if "$" not in text and "@" not in text:
        return text, {}, {}
    taken = {*_WORD.findall(text), *held.program.tensors}
    counters: dict[str, Counter] = {}
    found: dict[str, str] = {}
    places, cores = core_parts.named(held.program), dict[str, core_parts.PartPlace]()

    def of_core(match: re.Match[str]) -> str:
        core, cores_used = held.program.core_numbered(match[1]), held.program.cores
        if core is None:
            used = f"cores 0 to {cores_used - 1}" if cores_used > 1 else "core 0 alone"
            message = f"no core {match[1]}: the program uses {used}"
            raise Failure(Problem("E0318", message, Span(source, match.start(), match.end())))
        name = found.setdefault(match[0], "") or _unused(len(match[0]), taken)
        found[match[0]], cores[name] = name, replace(places[match[2]], core=core)
        return name

    if places:
        text = core_parts.spelt(places).sub(of_core, text)

    def hide(match: re.Match[str]) -> str:
        spelled = match[0]
        if spelled not in found:
            name = found[spelled] = _unused(len(spelled), taken)
            try:
                counters[name] = _counter(held, match)
            except Refused as refused:
                span = Span(source, match.start(), match.end())
                raise Failure(refused.at(span)) from None
        return found[spelled]

    return _COUNTER.sub(hide, text), counters, cores


def _unused(length: int, taken: set[str]) -> str:
    """A name of a length that is not taken; takes it."""
    number = 0
    while True:
        digits, rest = "", number
        while rest:
            rest, digit = divmod(rest, len(_LETTERS))
            digits += _LETTERS[digit]
        name = digits.ljust(length, "_")
        if name not in taken and len(name) == length:
            taken.add(name)
            return name
        number += 1


def _counter(held: Inspection, match: re.Match[str]) -> Counter:
    semaphore, engine, register, variable = match.groups()
    if semaphore is not None:
        named = {**held.program.semaphores, **held.program.events}
        if semaphore not in named:
            known = did_you_mean(semaphore, named, "$")
            hint = known or "'info semaphores' lists them"
            raise Refused("E0206", f"no semaphore '${semaphore}'", hint)
        index = named[semaphore]
        return lambda held: held.machine.scheduler.semaphores[index].value
    if variable is not None:
        looping = variables(held.program)
        if variable not in looping:
            hint = did_you_mean(variable, looping) or "a register is named @vector.%r0"
            raise Refused("E0208", f"no loop at run time has the variable '{variable}'", hint)
        held.queue(engine)
        return round_now(variable, engine)
    queue, number = held.queue(engine).index, int(register)
    count = held.program.generation.registers
    if number >= count:
        raise Refused("E0302", f"no register %r{number}", f"the registers are %r0 to %r{count - 1}")

    def read(held: Inspection) -> int | None:
        registers = held.machine.state.registers[queue]
        value = registers.values[number]
        return value if registers.known[number] and type(value) is int else None

    return read


def round_now(name: str, engine: str = "") -> Counter:
    """The round of a loop at run time that an engine is in, or all are."""
    return lambda held: round_of(held, name, engine)
