"""Programs with one change to their synchronisation, and what is said of them.

A change is made where it stands in the assembled program, to one instruction of one queue; so each
round of an unrolled loop has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from nasm.base.problems import Problem
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine.records import Status
from nasm.program.program import Instruction, Program, QueueProgram, Update, Wait
from nasm.targets import TARGETS
from tests.order.truth import Log, Truth

TAKING = ("embedding", "matmul_credits", "matmul_loops")
"""Programs whose counters go down: by the definition alone too much could be either way."""

PROGRAMS = sorted(
    path
    for path in (Path(__file__).parents[2] / "programs").glob("*.nasm")
    if path.stem not in TAKING
)

AWAY, WEAKER, MOVED, TWICE, READ = "taken away", "weaker", "moved", "twice over", "@read"
WAYS = (AWAY, WEAKER, MOVED, TWICE, READ)

CYCLES = 2_000_000
CHAIN = 8
"""Reports that are followed, one after the other."""


class Mutation(NamedTuple):
    """One change: a wait or an update of an instruction is another one now, or another's."""

    way: str
    what: str
    queue: int
    pc: int
    wait: Wait | None = None
    update: Update | None = None
    to: int = -1


def program_of(path: Path) -> Program:
    """A program of a file, to be changed."""
    return assemble(source_of(path), TARGETS)


# ---------------------------------------------------------------- changes


def mutations(program: Program) -> Iterator[Mutation]:
    """Every change of a program that its language could say."""
    units = _units(program)
    for queue, lines in enumerate(program.queues):
        for pc in range(len(lines)):
            wait = program.waits[lines.waits[pc]]
            if wait is not None:
                yield Mutation(AWAY, "wait", queue, pc)
                less = wait.value - units.get(wait.semaphore, 1)
                if wait.op == ">=" and less > 0:
                    yield Mutation(WEAKER, "wait", queue, pc, wait._replace(value=less))
                if pc + 1 < len(lines) and not lines.waits[pc + 1]:
                    yield Mutation(MOVED, "wait", queue, pc, wait, to=pc + 1)
            update = program.updates[lines.updates[pc]]
            if update is not None:
                yield from _of_update(program, lines, queue, pc, update)


def _of_update(
    program: Program, lines: QueueProgram, queue: int, pc: int, update: Update
) -> Iterator[Mutation]:
    yield Mutation(AWAY, "update", queue, pc)
    if program.instruction(queue, pc).row.posts:
        return  # by its shares: they post nothing else, and not earlier
    if pc and not lines.updates[pc - 1] and not program.instruction(queue, pc - 1).row.posts:
        yield Mutation(MOVED, "update", queue, pc, update=update, to=pc - 1)
    if update.op == "+":
        twice = replace(update, value=2 * update.value)
        yield Mutation(TWICE, "update", queue, pc, update=twice)
    if not update.at_read:
        yield Mutation(READ, "update", queue, pc, update=replace(update, at_read=True))


def _units(program: Program) -> dict[int, int]:
    """What the posts of each semaphore come in."""
    found: dict[int, int] = {}
    for queue, lines in enumerate(program.queues):
        for pc, number in enumerate(lines.updates):
            update = program.updates[number]
            if update is not None:
                posts = program.instruction(queue, pc).row.posts or update.value
                found[update.semaphore] = min(posts, found.get(update.semaphore, posts))
    return found


@contextmanager
def changed(program: Program, change: Mutation) -> Iterator[Program]:
    """A program with a change, for a while."""
    lines = program.queues[change.queue]
    waits, updates = lines.waits[:], lines.updates[:]
    tables = len(program.waits), len(program.updates)
    column = lines.waits if change.what == "wait" else lines.updates
    table: list[Any] = program.waits if change.what == "wait" else program.updates
    new = change.wait if change.what == "wait" else change.update
    column[change.pc] = 0
    if new is not None:
        column[change.pc if change.to < 0 else change.to] = len(table)
        table.append(new)
    try:
        yield program
    finally:
        lines.waits, lines.updates = waits, updates
        del program.waits[tables[0] :], program.updates[tables[1] :]


# ---------------------------------------------------------------- what is said


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a changed program does, by the definition; and what is said of it.

    ``races`` are pairs of lines, ``host`` says that an output may be read too early. ``reported``
    are the errors that are said, ``warned`` the codes of warnings; ``values`` says that memory is
    not what it was.
    """

    change: Mutation
    status: Status
    races: frozenset[frozenset[int]]
    host: bool
    reported: tuple[Problem, ...]
    warned: tuple[str, ...]
    values: bool

    @property
    def kind(self) -> str:
        """What the change did to the program."""
        if self.status is not Status.FINISHED:
            return self.status.value
        return "race" if self.races else "host" if self.host else "harmless"

    @property
    def caught(self) -> bool:
        """Whether what the change did is said."""
        if self.kind == "host":
            return "E0514" in self.warned or bool(self.reported)
        return self.kind == "harmless" or bool(self.reported)

    @property
    def false(self) -> list[Problem]:
        """Races that are said and are none."""
        if self.status is not Status.FINISHED:
            return []
        return [p for p in self.reported if p.code == "E0502" and _pair(p) not in self.races]


def _pair(problem: Problem) -> frozenset[int]:
    """The lines of a race that is said."""
    return frozenset(access["line"] for access in problem.facts.get("accesses", ()))


def outcome(program: Program, change: Mutation, whole: str) -> Outcome:
    """Run a changed program; ``whole`` is the hash of memory after a run without the change."""
    with changed(program, change):
        session = Session(program)
        log = Log(session)
        report = session.run(max_cycles=CYCLES)
        truth = Truth(log) if report.status is Status.FINISHED else None
        return Outcome(
            change,
            report.status,
            frozenset(truth.lines) if truth else frozenset(),
            bool(truth and truth.early),
            (*report.hazards, *report.problems),
            tuple(p.code for p in report.warnings),
            report.memory_hash != whole,
        )


def outcomes(path: Path, every: int = 1, first: int = 0) -> Iterator[Outcome]:
    """The outcomes of the changes of a program, or of every so many of them."""
    program = program_of(path)
    whole = Session(program).run().memory_hash
    for change in list(mutations(program))[first::every]:
        yield outcome(program, change, whole)


# ---------------------------------------------------------------- what is proposed


class Mended(NamedTuple):
    """Whether no race is left with what reports propose.

    With the wait of the first report alone; with those of all; and with the first of each run, one
    run after the other.
    """

    first: bool
    every: bool
    chain: bool


def mended(program: Program, found: Outcome) -> Mended:
    """Do what reports propose to a changed program."""
    with changed(program, found.change):
        proposed = _proposed(found.reported)
        return Mended(
            _mends(program, proposed[:1]), _mends(program, proposed), _chain(program, proposed[:1])
        )


def _proposed(problems: Sequence[Problem]) -> list[Mapping[str, Any]]:
    return [p.facts["wait"] for p in problems if p.code == "E0502" and p.facts.get("wait")]


def _mends(program: Program, proposed: Sequence[Mapping[str, Any]]) -> bool:
    with _added(program, proposed):
        return bool(proposed) and _clean(program)


def _chain(program: Program, proposed: list[Mapping[str, Any]]) -> bool:
    for _ in range(CHAIN):
        with _added(program, proposed):
            if _clean(program):
                return bool(proposed)
            more = _proposed(Session(program).run(max_cycles=CYCLES, hashes=False).hazards)
            if not more:
                return False
            pcs = [_back(proposed, one) for one in more[:1]]
        proposed = [*proposed, *pcs]
    return False


def _back(added: Sequence[Mapping[str, Any]], one: Mapping[str, Any]) -> dict[str, Any]:
    """A wait at the place where its instruction stood before others were added."""
    pc = one["pc"]
    for earlier in sorted((a for a in added if a["engine"] == one["engine"]), key=_pc):
        pc -= earlier["pc"] < pc
    return {**one, "pc": pc}


def _pc(one: Mapping[str, Any]) -> int:
    pc: int = one["pc"]
    return pc


def _clean(program: Program) -> bool:
    """Whether a program ends and has no race, by the definition."""
    session = Session(program)
    log = Log(session)
    report = session.run(max_cycles=CYCLES, hashes=False)
    return report.status is Status.FINISHED and not Truth(log).races


@contextmanager
def _added(program: Program, proposed: Sequence[Mapping[str, Any]]) -> Iterator[None]:
    """A program with more waits, each an instruction of its own in front of one that is to wait."""
    names = [program.queue_name(n) for n in range(len(program.queues))]
    numbers = {program.semaphore_name(n): n for n in program.semaphores.values()}
    saved = [(lines, deepcopy(lines)) for lines in program.queues]
    tables = len(program.waits), len(program.instructions)
    program.instructions.append(Instruction(program.target.isa.rows["EventSemaphore"], ()))
    try:
        for one in sorted(proposed, key=_pc, reverse=True):
            lines, pc = program.queues[names.index(one["engine"])], one["pc"]
            program.waits.append(Wait(numbers[one["semaphore"]], one["op"], one["value"]))
            lines.instructions.insert(pc, tables[1])
            lines.waits.insert(pc, len(program.waits) - 1)
            for column in (lines.updates, lines.spans, lines.chains):
                column.insert(pc, 0)
            lines.spans[pc] = lines.spans[pc + 1]
            for label, at in lines.labels.items():
                lines.labels[label] = at + (at > pc)
        yield
    finally:
        for lines, before in saved:
            for field in fields(QueueProgram):
                setattr(lines, field.name, getattr(before, field.name))
        del program.waits[tables[0] :], program.instructions[tables[1] :]
