"""What a run has counted, as warnings: lost results, counters below 0, NaN and what was cut off."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nasm.base.problems import Note, Problem, Severity, counted, listed
from nasm.machine.lost_results import Losses
from nasm.machine.negative_counters import BelowZero
from nasm.machine.numbers import NumberFindings
from nasm.program.program import Program
from nasm.sim.counters import Who

BELOW_ZERO = "E0520"


def lost(
    losses: Losses, explained: Callable[[Who, Who], bool] = lambda *_: False
) -> Iterator[Problem]:
    """A warning for each line that lost a result to another, unless that is ``explained``."""
    program = losses.program
    for line, (who, by, count) in losses.lost:
        if not explained(line, program.line(*by)):
            yield _lost(program, who, by, count)


def _lost(program: Program, who: Who, by: Who, count: int) -> Problem:
    me, other = (program.instruction_name(*one) for one in (who, by))
    times = "" if count == 1 else f", {counted(count, 'time')}"
    message = f"what {me} writes is lost{times}: {other} overwrites all of it, and nothing read it"
    hint = f"if something is to read it first, let {other} wait for that; else leave it out"
    if program.line(*who) == program.line(*by):
        hint = "if something is to read it in each round, wait for that; else leave it out"
    note = Note(f"{other} is here", program.span(*by))
    return Problem("E0525", message, program.span(*who), hint, (note,), Severity.WARNING)


def below_zero(seen: BelowZero) -> Iterator[Problem]:
    """One for each counter that was below 0."""
    return (_below_zero(seen, number) for number in seen.first)


def _below_zero(seen: BelowZero, number: int) -> Problem:
    program = seen.program
    (now, before), takers = seen.first[number], seen.takers[number]
    name, lowest = f"${program.semaphore_name(number)}", seen.lowest[number]
    queue, pc = takers[0]
    update = program.updates[program.queues[queue].updates[pc]]
    assert update is not None
    message = (
        f"{program.instruction_name(queue, pc)} takes {-update.value} from {name} when it is "
        f"{before} (at {now / program.generation.ticks:.3f} µs): it goes below 0"
    )
    if lowest < before + update.value:
        message += f", and to {lowest} later"
    notes = tuple(
        Note(
            f"{program.instruction_name(*who)} takes what is not there, too",
            program.span(*who),
            excerpt=True,
        )
        for who in takers[1:]
    )
    wait = program.waits[program.queues[queue].waits[pc]]
    hint = f"let it wait until {-update.value} is there: {name} >= {-update.value}"
    if wait is not None and wait.semaphore == number:
        hint = (
            "a wait takes nothing: several may pass with what one of them takes; let each wait "
            "for a counter of its own, or let one queue take for all"
        )
    return Problem(BELOW_ZERO, message, program.span(queue, pc), hint, notes, Severity.WARNING)


def numbers(seen: NumberFindings) -> Iterator[Problem]:
    """A warning for each line whose results are no numbers, and a note where some did not fit."""
    program = seen.program
    for who, where, (nan, infinite) in seen.born.values():
        kinds = [f"{nan:,} NaN"] if nan else []
        kinds += [counted(infinite, "infinite element")] if infinite else []
        verb = "come" if nan + infinite > 1 else "comes"
        message = f"{listed(kinds, 'and')} {verb} from {program.instruction_name(*who)}"
        hint = "no operand has any there; instructions that only pass them on are not listed"
        message += f", the first in {where}" if where else ""
        yield Problem("E0526", message, program.span(*who), hint, severity=Severity.WARNING)
    for (_, dtype), (who, where, (count,)) in seen.cut.items():
        fits = "does" if count == 1 else "do"
        name = program.instruction_name(*who)
        message = f"{counted(count, 'result')} of {name} {fits} not fit into {dtype}"
        message += f", the first in {where}" if where else ""
        hint = "what is too large becomes infinite, NaN or the largest value"
        if dtype.is_int:
            hint = "what is beyond its limits becomes the nearest of them, and NaN becomes 0"
        yield Problem("E0527", message, program.span(*who), hint, severity=Severity.NOTE)
