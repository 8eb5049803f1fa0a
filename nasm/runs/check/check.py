"""A program before it is run with values: its errors, and what it holds when.

This is the one place that looks at a program so; the command, the debugger and Python ask it. A
program whose branches and addresses need no values is followed to its end, in a run without them;
of any other what comes first is, and what its text alone tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Unpack

from nasm.base.array_files import ArrayFile
from nasm.base.problems import Problem, Refused, Severity, counted, listed
from nasm.isa.effects import Jump
from nasm.language.expectations.shapes import mismatch
from nasm.machine.outlines import DOES_NOT_KNOW
from nasm.machine.records import EXAMINED, MOST_EXAMINED, Status
from nasm.machine.tensor_io import readable
from nasm.program.program import Program
from nasm.runs.check import dead_code
from nasm.runs.check.accesses import Touches
from nasm.runs.check.counters import CounterUses
from nasm.runs.check.followed import with_endless
from nasm.runs.check.interlocks import relied
from nasm.runs.check.lines import CUT_SHORT, finding
from nasm.runs.check.live_ranges import memory_maps
from nasm.runs.check.may_race import RACE
from nasm.runs.check.records import LIMIT, VALUES, Examination
from nasm.runs.check.way import Decision
from nasm.runs.check.ways import EveryWay
from nasm.runs.execution import Execution
from nasm.runs.settings import CheckKeywords, RunSettings, with_keywords

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.runs.waits.records import WaitReport

DEADLOCK = "E0510"


def examine(
    program: Program,
    *,
    max_instructions: int | None = MOST_EXAMINED,
    relaxed: bool = False,
    why: tuple[int, int] | None = None,
    waits: bool = False,
    tried: bool = True,
    settings: RunSettings | None = None,
    **keywords: Unpack[CheckKeywords],
) -> Examination:
    """Look at a program without its values.

    It is followed for at most ``max_instructions``. With ``relaxed``, or on a machine whose engines
    have no interlock, there is a list of what would need one; everything else is reported as if
    they had. It is asked ``why`` two lines, by number, are in order, or are not; raises Failure if
    one was not followed. With ``waits`` each is tried that could go, wait for less, or be
    elsewhere. Of the settings ``strict`` and ``allow`` are used: the program has been assembled
    with the rest. If values are ``tried``, some are searched with which a run has what is found on
    some ways only.
    """
    relaxed = relaxed or not program.target.interlocked(program.options)
    chosen = with_keywords(settings, keywords)
    judging = RunSettings(strict=chosen.strict, allow=chosen.allow, values=False)
    ways = EveryWay(program, judging, max_instructions, tried)
    first = ways.first
    session, machine, report = first.session, first.session.machine, first.report
    errors = with_endless(program, ways.errors())
    raced = {problem.span for problem in errors if problem.code == RACE}
    every = [*ways.maybe()]
    every += [p for p in _static(ways, errors) if p.span not in raced]
    every += _cut_short(ways, first.initialisation.beyond)
    every += file_warnings(program)
    judged = session.policy.judged(every)
    of_errors = session.policy.judged(errors)
    unused = session.policy.unused([*errors, *every], lambda code: ways.whole and code in EXAMINED)
    return Examination(
        ended=_ended(ways),
        instructions=machine.scheduler.retired,
        microseconds=report.microseconds,
        problems=(
            *of_errors.errors,
            *judged.errors,
            *sorted((*report.warnings, *of_errors.warnings, *judged.warnings, *unused), key=_place),
        ),
        allowed=(*report.allowed, *of_errors.allowed, *judged.allowed),
        memories=tuple(memory_maps(machine, first.lifetimes.lives)),
        relied=relied(machine, first.watch, first.touches) if relaxed else None,
        order=None if why is None else session.order(*why),
        waits=_waits(ways, max_instructions) if waits else None,
        ways=len(ways.every),
    )


def _waits(ways: EveryWay, most: int | None) -> WaitReport:
    if ways.asked:
        from nasm.runs.check.waits_of_ways import advised_on_every_way

        return advised_on_every_way(ways)
    from nasm.runs.waits import advised

    return advised(ways.program, max_instructions=most)


def _ended(ways: EveryWay) -> str:
    """Where it ended when it was followed."""
    if ways.unknown or ways.left is not None:
        return VALUES
    if any(one.status is Status.LIMIT for one in ways.every):
        return LIMIT
    return ways.first.report.status.name.lower()


def _static(ways: EveryWay, errors: Sequence[Problem]) -> Iterator[Problem]:
    """What the text alone shows, but for what the run reported already."""
    program, session, touches = ways.program, ways.first.session, ways.first.touches
    reached = [reachable(program, queue, touches) for queue in range(len(program.queues))]
    counters = CounterUses(program, reached)
    stuck: set[int] = set()
    if any(problem.code == DEADLOCK for problem in errors):
        for queue in session.machine.scheduler.blocked():
            wait = program.waits[program.queues[queue.index].waits[queue.pc]]
            if wait is not None:
                stuck.add(wait.semaphore)
    yield from counters.never_posted(stuck)
    yield from counters.never_awaited(_late_semaphores(session))
    yield from counters.empty_waits(ways.idle())
    yield from dead_code.unreached(program, reached)
    yield from dead_code.unread(program, reached, touches)


def _late_semaphores(session: Execution) -> set[int]:
    """The semaphores of transfers of which the run warned that nothing waits for them."""
    program = session.program
    numbers = (program.queues[q].updates[pc] for q, pc in session.machine.scheduler.late)
    return {update.semaphore for n in numbers if (update := program.updates[n]) is not None}


def _cut_short(ways: EveryWay, beyond: Sequence[str]) -> Iterator[Problem]:
    """Why a program was not followed to its end, or not all that it touches looked at."""
    for problem in ways.unknown:
        where = "some place" if problem.span is None else f"line {problem.span.line}"
        why = problem.message.removesuffix(DOES_NOT_KNOW)
        text = f"order and deadlocks depend on values from {where} on ({why}): run it"
        yield finding(CUT_SHORT, text, problem.span, "neuron-nasm run computes them")
    if ways.left is not None:
        yield _left(ways, ways.left)
    for one in ways.every:
        if one.status is Status.LIMIT:
            text = (
                f"only the first {counted(one.instructions, 'instruction')} were followed: order "
                "and deadlocks after that were not looked at"
            )
            yield finding(CUT_SHORT, text, None, "allow more with --max-instructions, or run it")
            break
    if beyond:
        size = f"{counted(len(beyond), 'tensor')} of more than 1 GiB: {listed(beyond, 'and')}"
        text = f"what is written, and what is read before it is, was not looked at in {size}"
        yield finding(CUT_SHORT, text, None, "run it with smaller ones to find that")


def _left(ways: EveryWay, decision: Decision) -> Problem:
    """Where it was not decided further which way a branch goes."""
    program, queue, pc = ways.program, decision.queue, decision.pc
    text = (
        f"{counted(len(ways.every), 'way')} through the branches that values decide were judged; "
        f"others, the first of which differ at {program.instruction_name(queue, pc)}, were not"
    )
    hint = "what is in order here is so for the values that lead to the ways which were judged"
    return finding(CUT_SHORT, text, program.span(queue, pc), hint)


def _place(problem: Problem) -> tuple[int, int]:
    """The place of a finding in the text; those without one come last."""
    return (0, problem.span.start) if problem.span is not None else (1, 0)


_GIVEN = "a run needs it, unless --in gives the values"


def file_warnings(program: Program) -> Iterator[Problem]:
    """What a run would refuse of files: warnings of initialisers, for a caller may fill tensors."""
    for tensor in program.tensors.values():
        if isinstance(tensor.init, ArrayFile):
            try:
                readable(tensor, tensor.init, program.files)
            except Refused as refused:
                hint = refused.hint or _GIVEN
                yield Problem(
                    refused.code, refused.message, tensor.span, hint, severity=Severity.WARNING
                )
    for expectation in program.expectations:
        yield from mismatch(expectation, program.tensors, program.files)


def reachable(program: Program, queue: int, touches: Touches) -> list[bool]:
    """Of each pc of a queue, whether some way through its branches leads there.

    A branch whose condition is in its operands goes one way; any other may go both ways.
    """
    lines = program.queues[queue]
    jumps = {n for n, made in enumerate(program.instructions) if made.row.effect is Jump}
    if not jumps.intersection(lines.instructions):
        return [True] * len(lines)
    found, waiting = [False] * len(lines), [0]
    while waiting:
        pc = waiting.pop()
        while pc < len(lines) and not found[pc]:
            found[pc] = True
            if lines.instructions[pc] in jumps:
                waiting += _next(program, queue, pc, touches)
                break
            pc += 1
    return found


def _next(program: Program, queue: int, pc: int, touches: Touches) -> list[int]:
    """Where a branch may go."""
    instruction, labels = program.instruction(queue, pc), program.queues[queue].labels
    known = touches.target(queue, pc)
    if known is not None:
        return [pc + 1 if known.target is None else labels[known.target]]
    named = (labels.get(str(instruction.operands[n])) for n in instruction.row.labels)
    return [pc + 1, *(at for at in named if at is not None)]
