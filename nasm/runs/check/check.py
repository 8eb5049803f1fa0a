"""A program before it is run with values: its errors, and what it holds when.

This is the one place that looks at a program so; the command, the debugger and Python ask it. A
program whose branches and addresses need no values is followed to its end, in a run without them;
of any other what comes first is, and what its text alone tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Unpack

from nasm.analysis.hazards.endless_loops import ENDLESS, endless
from nasm.base.array_files import ArrayFile
from nasm.base.problems import Problem, Refused, Severity, counted, listed
from nasm.isa.effects import Jump
from nasm.language.expectations.shapes import mismatch
from nasm.machine.outlines import DOES_NOT_KNOW, NO_VALUES
from nasm.machine.records import EXAMINED, MOST_EXAMINED, RunReport, Status
from nasm.machine.tensor_io import readable
from nasm.order.check import Check
from nasm.order.events import Sources
from nasm.order.observer import Watch
from nasm.program.program import Program
from nasm.runs.check import dead_code
from nasm.runs.check.accesses import Touches
from nasm.runs.check.counters import CounterUses, Place
from nasm.runs.check.engine_values import EngineValues
from nasm.runs.check.initialisation import Initialisation
from nasm.runs.check.interlocks import relied
from nasm.runs.check.lines import CUT_SHORT, finding
from nasm.runs.check.live_ranges import Lifetimes, memory_maps
from nasm.runs.check.other_timings import may_hang
from nasm.runs.check.records import VALUES, Examination
from nasm.runs.execution import Execution
from nasm.runs.settings import CheckKeywords, RunSettings, with_keywords

LIMIT, DEADLOCK, RACE = "E0511", "E0510", "E0502"


def examine(
    program: Program,
    *,
    max_instructions: int | None = MOST_EXAMINED,
    relaxed: bool = False,
    why: tuple[int, int] | None = None,
    settings: RunSettings | None = None,
    **keywords: Unpack[CheckKeywords],
) -> Examination:
    """Look at a program without its values.

    It is followed for at most ``max_instructions``. With ``relaxed``, or on a machine whose engines
    have no interlock, there is a list of what would need one; everything else is reported as if
    they had. It is asked ``why`` two lines, by number, are in order, or are not; raises Failure if
    one was not followed. Of the settings ``strict`` and ``allow`` are used: the program has been
    assembled with the rest.
    """
    relaxed = relaxed or not program.target.interlocked(program.options)
    chosen = with_keywords(settings, keywords)
    judging = RunSettings(strict=chosen.strict, allow=chosen.allow, values=False)
    session = Execution(program, settings=judging)
    machine = session.machine
    machine.scheduler.interlock.held = True
    touches = Touches(machine)
    lifetimes, watch = Lifetimes(machine, touches), Watch(machine.scheduler.queues)
    initialisation = Initialisation(machine)
    machine.scheduler.observe(lifetimes)
    machine.scheduler.observe(initialisation)
    engine_values = EngineValues(machine)
    machine.scheduler.observe(engine_values)
    machine.scheduler.observe(watch)
    report = session.run(max_instructions=max_instructions, hashes=False)
    errors, unknown = _sorted(report)
    reported = {problem.span for problem in errors if problem.code == ENDLESS}
    errors += [problem for problem in endless(program) if problem.span not in reported]
    raced = {problem.span for problem in errors if problem.code == RACE}
    every = [p for p in _static(session, touches, watch, errors, report) if p.span not in raced]
    every += engine_values.problems
    if report.status is Status.FINISHED:
        every += initialisation.outputs()
        every += may_hang(program, session.ordering)
    every += _cut_short(report, unknown, initialisation.beyond)
    every += file_warnings(program)
    judged = session.policy.judged(every)
    whole = report.status in (Status.FINISHED, Status.DEADLOCK)
    unused = session.policy.unused(every, lambda code: whole and code in EXAMINED)
    return Examination(
        ended=VALUES if unknown else report.status.name.lower(),
        instructions=machine.scheduler.retired,
        microseconds=report.microseconds,
        problems=(
            *errors,
            *judged.errors,
            *sorted((*report.warnings, *judged.warnings, *unused), key=_place),
        ),
        allowed=(*report.allowed, *judged.allowed),
        memories=tuple(memory_maps(machine, lifetimes.lives)),
        relied=relied(machine, watch, touches) if relaxed else None,
        order=None if why is None else session.order(*why),
    )


def _sorted(report: RunReport) -> tuple[list[Problem], list[Problem]]:
    """The errors of a run, and what it could not continue without knowing."""
    found = [p for p in (*report.hazards, *report.problems) if p.code != LIMIT]
    return [p for p in found if p.code != NO_VALUES], [p for p in found if p.code == NO_VALUES]


def _static(
    session: Execution, touches: Touches, watch: Watch, errors: Sequence[Problem], report: RunReport
) -> Iterator[Problem]:
    """What the text alone shows, but for what the run reported already."""
    program = session.program
    ways = [reachable(program, queue, touches) for queue in range(len(program.queues))]
    counters = CounterUses(program, ways)
    stuck: set[int] = set()
    if any(problem.code == DEADLOCK for problem in errors):
        for queue in session.machine.scheduler.blocked():
            wait = program.waits[program.queues[queue.index].waits[queue.pc]]
            if wait is not None:
                stuck.add(wait.semaphore)
    yield from counters.never_posted(stuck)
    yield from counters.never_awaited(_late_semaphores(session))
    yield from counters.empty_waits(_idle(session, watch))
    yield from dead_code.unreached(program, ways)
    yield from dead_code.unread(program, ways, touches)


def _idle(session: Execution, watch: Watch) -> set[Place]:
    """The instructions whose waits are idle whenever they are executed, if all of it was."""
    if session.status is not Status.FINISHED or watch.full:
        return set()
    ordering = session.ordering
    if ordering is not None:
        check = ordering.by_loops or ordering.judged()
    else:
        check = Check(Sources(session.program), watch, held=True)
        check.settle()
    order, pcs = check.order, check.watch.pcs
    idle = set(order.idle())
    found: dict[Place, bool] = {}
    for queue, steps in enumerate(order.steps):
        for index in (taken.step.index for taken in steps if taken.step.wait is not None):
            place = queue, pcs[queue][index]
            found[place] = found.get(place, True) and (queue, index) in idle
    return {place for place, every in found.items() if every}


def _late_semaphores(session: Execution) -> set[int]:
    """The semaphores of transfers of which the run warned that nothing waits for them."""
    program = session.program
    numbers = (program.queues[q].updates[pc] for q, pc in session.machine.scheduler.late)
    return {update.semaphore for n in numbers if (update := program.updates[n]) is not None}


def _cut_short(
    report: RunReport, unknown: Iterable[Problem], beyond: Sequence[str]
) -> Iterator[Problem]:
    """Why a program was not followed to its end, or not all that it touches looked at."""
    for problem in unknown:
        where = "some place" if problem.span is None else f"line {problem.span.line}"
        why = problem.message.removesuffix(DOES_NOT_KNOW)
        text = f"order and deadlocks depend on values from {where} on ({why}): run it"
        yield finding(CUT_SHORT, text, problem.span, "neuron-nasm run computes them")
    if report.status is Status.LIMIT:
        done = sum(engine.instructions for engine in report.engines)
        text = (
            f"only the first {counted(done, 'instruction')} were followed, up to "
            f"{report.microseconds:,.3f} µs: order and deadlocks after that were not looked at"
        )
        yield finding(CUT_SHORT, text, None, "allow more with --max-instructions, or run it")
    if beyond:
        size = f"{counted(len(beyond), 'tensor')} of more than 1 GiB: {listed(beyond, 'and')}"
        text = f"what is written, and what is read before it is, was not looked at in {size}"
        yield finding(CUT_SHORT, text, None, "run it with smaller ones to find that")


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
