"""Programs in order by construction, and with one change to their waits.

A program that was made so is not to be reported, and to lead to the same under all timings. With a
wait taken away it is to be reported exactly if it has a race by the definition of what comes before
what, which :mod:`tests.order.truth` decides for counters that only go up. For others it holds that
what is not reported leads to the same values under some timings, as far as it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import nasm
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program
from nasm.targets import TARGETS
from tests.fuzz.finding import Found
from tests.fuzz.ordered.flows import Flow
from tests.fuzz.ordered.moments import LOOPED, MOMENTS
from tests.fuzz.ordered.rounds import ADDING, OTHERS, RISING
from tests.order.mutants import AWAY, WEAKER, Mutation, changed, mutations
from tests.order.truth import Log, Truth, Undecided

MADE = "; in order by construction\n"
"""The first line of what was made so. A smaller program that shows a finding may have lost it."""

RACES = ("E0502", "E0540")
TOLD = (*RACES, "E0501", "E0513", "E0514", "E0520", "E0524", "E0525", "E0541")
"""What is not to be told of a program in order."""

TARGET = ("trn1", "trn2", "trn3")
STEPS = 16
SCHEDULES = (1, 1, 1, 3)
WAITS, OTHER_WAYS = 1, 1
"""Changes that are tried of each program: to waits taken away or weaker, and of any kind."""

CYCLES = 2_000_000


class Ordered:
    """Texts of programs."""

    name, suffix, each = "order", ".nasm", 1
    memory, seconds = 1 << 30, 20.0

    def make(self, draw: Random) -> bytes:
        """A program in order."""
        target = draw.choice(TARGET)
        flow = Flow(draw, target)
        flow.make(draw.randint(2, STEPS))
        lines = [f".target {target}", *flow.text()]
        if flow.cores == 2:
            lines.append(".core 0")
        sorts = ADDING if target == "trn3" else RISING
        if draw.random() < 0.3:
            sorts += OTHERS
        for number in range(draw.choice((0, 0, 1, 1, 2))):
            lines += draw.choice(sorts)(draw, f"_{number}")
        for number in range(draw.choice((0, 0, 1, 2))):
            if flow.cores == 2:
                lines.append(f".core {draw.randrange(2)}")
            lines += draw.choice(MOMENTS if target == "trn1" else LOOPED)(draw, f"_m{number}")
        return (MADE + "\n".join(lines) + "\n").encode()

    def check(self, data: bytes) -> None:
        """Judge it as it is, then with some changes to it."""
        text, draw = data.decode(), Random(data)
        try:
            program = assemble(Source("order.nasm", text), TARGETS)
        except Failure as failure:
            if text.startswith(MADE):
                raise Found("order", f"does not assemble: {failure.problems[0]}") from None
            return
        made = text.startswith(MADE)
        whole = judge(program, "", made, draw)
        if not made:
            whole = ""
        for change in _drawn(draw, list(mutations(program))):
            with changed(program, change):
                judge(program, whole, False, draw, change)

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Lines."""
        yield data.splitlines(keepends=True)


def _drawn(draw: Random, every: list[Mutation]) -> Iterator[Mutation]:
    """Some changes, most of them to waits."""
    waits = [c for c in every if c.what == "wait" and c.way in (AWAY, WEAKER)]
    yield from draw.sample(waits, min(WAITS, len(waits)))
    yield from draw.sample(every, min(OTHER_WAYS, len(every)))


def judge(
    program: Program, whole: str, made: bool, draw: Random, change: Mutation | None = None
) -> str:
    """Run a program, and compare what is said of it with what is so.

    ``whole`` is the hash of memory that it leads to if it has no race; ``made`` says that it was
    made in order. The hash is returned.
    """
    values = change is None or draw.random() < 0.5
    session = Session(program, reruns=True, values=values)
    log = Log(session)
    report = session.run(max_cycles=CYCLES)
    said = _said(report, change, program)
    if report.status is not Status.FINISHED:
        if made:
            raise Found("order", f"made to end, and is {report.status.value}{_size(program)}", said)
        return ""
    try:
        truth = Truth(log)
    except Undecided:
        truth = None
    else:
        _compare(report, truth, said)
        if whole and values and not truth.races and report.memory_hash != whole:
            raise Found("order", "other values without a race", said)
    if made and (codes := {p.code for p in _all(report)} & {*TOLD}):
        raise Found("order", f"made in order, and said {sorted(codes)}{_size(program)}", said)
    silent = not any(p.code in RACES for p in _all(report))
    if silent and (made or truth is None):
        found = nasm.schedules(session, draw.choice(SCHEDULES), draw.randrange(1 << 30))
        # Of counters that go down nothing is promised of how a changed program ends.
        if found.others if made else found.values:
            raise Found(
                "order", "in silence, and other timings lead to something else", f"{found}\n{said}"
            )
    return report.memory_hash


def _compare(report: RunReport, truth: Truth, said: str) -> None:
    races = [p for p in _all(report) if p.code == "E0502"]
    told = f"{said}\nraces: {sorted(map(sorted, truth.lines))}, early: {truth.early}"
    if truth.races and not races:
        raise Found("order", "a race in silence", told)
    for problem in races:
        lines = frozenset(access["line"] for access in problem.facts.get("accesses", ()))
        if lines not in truth.lines:
            raise Found("order", "a race is said that is none", told)
    late = [p.message for p in _all(report) if p.code == "E0514"]
    if truth.early and not truth.races and not late:  # where there is a race, it may be told alone
        raise Found("order", "what the host may read too early in silence", told)
    if not truth.early and not all("still in flight" in message for message in late):
        raise Found("order", "what the host may read too early is said, and is not so", told)


def _all(report: RunReport) -> tuple[Problem, ...]:
    return (*report.hazards, *report.problems, *report.warnings)


def _said(report: RunReport, change: Mutation | None, program: Program) -> str:
    lines = [f"{report.status.value}"]
    if change is not None:
        span = program.span(change.queue, change.pc)
        at = f"line {span.line if span else '-'}, {program.queue_name(change.queue)} pc {change.pc}"
        lines.append(f"{change.what} {change.way}: {at}")
    lines += [f"{p.code} {p.message} (line {p.span.line if p.span else '-'})" for p in _all(report)]
    return "\n".join(lines)


def _size(program: Program) -> str:
    """What no smaller program has: there only the whole shows anything."""
    return f" ({sum(map(len, program.queues))} instructions)"
