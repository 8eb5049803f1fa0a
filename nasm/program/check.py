"""Checks of instructions: availability, updates, labels, the rules of every one."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import islice

from nasm.base.problems import MOST_ERRORS, Problem, Refused, Severity, Unsaid, did_you_mean
from nasm.base.records import replace
from nasm.base.source import Span
from nasm.isa.effects import RankExchange
from nasm.isa.generation import Generation
from nasm.isa.instruction import InstructionContext, Row, Rule
from nasm.isa.kinds import Kind
from nasm.isa.list_kinds import mentioned, views
from nasm.isa.target import rules_of
from nasm.program.availability import legal
from nasm.program.program import Instruction, Program, Update, Wait
from nasm.program.shapes import Shape, Shapes
from nasm.views.view import Reg, View


def within_reach(core: int, value: object, kind: Kind) -> None:
    """Whether a queue of a core can name an operand's tensor; raises Refused."""
    if getattr(kind, "remote", False):
        return
    for tensor in mentioned(value):
        if tensor.core != core and not tensor.memory.shared:
            raise Refused(
                "E0319",
                f"{tensor.name} is in {tensor.memory.name} of core {tensor.core}; this is core "
                f"{core}, which reaches its own",
                "move it through a memory the cores share, or have them exchange it",
            )


def registers_exist(generation: Generation, value: object) -> None:
    """Whether an engine has the registers that an operand's address names; raises Refused."""
    for view in (value,) if type(value) is View else views(value):
        for dynamic in view.dynamic:
            if dynamic.register >= generation.registers:
                raise Refused(
                    "E0301",
                    f"{Reg(dynamic.register)} does not exist: wanted a register %r0 to "
                    f"%r{generation.registers - 1}",
                )


def sync(
    program: Program,
    queue: int,
    row: Row,
    wait: Wait | None,
    update: Update | None,
    spans: Callable[[str], Span | None] | None,
) -> list[Problem]:
    """Errors of the wait and the update of an instruction, at their places."""
    problems: list[Problem] = []
    try:
        if wait is not None:
            wait_fits(program, queue, wait)
    except Refused as refused:
        problems.append(refused.at(spans("$wait") if spans else None))
    try:
        if update is not None:
            update_fits(program, row, update)
            update_reaches(program, queue, row, update)
    except Refused as refused:
        problems.append(refused.at(spans("$update") if spans else None))
    return problems


def _counts(program: Program, queue: int, does: str) -> None:
    """Refuse a wait or an update of an engine that has none."""
    engine = program.generation.engine(program.queues[queue].engine)
    if not engine.counts:
        raise Refused("E0320", f"@{engine.name} {does} no semaphore of this kind", engine.instead)


def _everywhere(program: Program, queue: int) -> bool:
    """Whether a queue reaches what every core has."""
    return program.generation.engine(program.queues[queue].engine).everywhere


def update_reaches(program: Program, queue: int, row: Row, update: Update) -> None:
    """Whether a queue reaches what it updates: in other tiles only by a packet; raises Refused."""
    _counts(program, queue, "updates")
    core, here = program.generation.counter(update.semaphore)[0], program.queues[queue].core
    if program.generation.grid is None or row.spreads or core == here or row.signals:
        return
    if _everywhere(program, queue):
        return
    name = f"${program.semaphore_name(update.semaphore)}"
    message = f"{name} is of tile {program.core_name(core)}; this is {program.core_name(here)}"
    signalling = [one.name for one in program.target.isa if one.signals and not one.spreads]
    raise Refused("E0320", message, f"{signalling[0]} raises it there" if signalling else "")


def wait_fits(program: Program, queue: int, wait: Wait) -> None:
    """Whether a queue may wait so; raises Refused."""
    _counts(program, queue, "waits for")
    core, _, event = program.generation.counter(wait.semaphore)
    here = program.queues[queue].core
    if (core == here or _everywhere(program, queue)) and not event:
        return
    name = f"${program.semaphore_name(wait.semaphore)}"
    if core != here:
        raise Refused(
            "E0320",
            f"{name} is core {core}'s; core {here} can update it, but not wait for it",
            "declare one for this core, and let the other update it",
        )
    if (wait.op, wait.value) not in ((">=", 1), ("==", 1), ("==", 0)):
        raise Refused(
            "E0321",
            f"the event {name} is one bit, found {wait.op} {wait.value}",
            f"wait with {name} == 1 or {name} == 0",
        )


def update_fits(program: Program, row: Row, update: Update) -> None:
    """Whether an instruction may make this update; raises Refused."""
    generation = program.generation
    if generation.counter(update.semaphore)[2]:
        name = f"${program.semaphore_name(update.semaphore)}"
        if row.posts or update.op != "=" or update.value not in (0, 1):
            hint = f"set it with {name} = 1, clear it with {name} = 0"
            if row.posts:
                hint = f"{row.name} posts {row.posts} times: let it update a semaphore"
            message = f"the event {name} is one bit, found {_written(update)}"
            raise Refused("E0321", message, hint)
    if row.spreads and (update.op, update.at_read) == ("+", False) and update.value > 0:
        return
    if not (row.posts or row.signals):
        return
    if (update.op, update.value, update.at_read) != ("+", row.posts or 1, False):
        raise Refused(
            "E0314",
            f"the update of {row.name} is '{_written(update)}'; wanted '+= {row.posts or 1}'",
            f"each of the {row.posts} {generation.channel}s posts 1 when its share has landed: "
            f"write '++' or '+= {row.posts}', and wait for a multiple of {row.posts}",
        )


def _written(update: Update) -> str:
    sign = "" if update.op == "=" else "-" if update.value < 0 else "+"
    value = abs(update.value) if sign else update.value
    return f"{sign}= {value}" + (" @read" if update.at_read else "")


Places = Callable[[Span, Row, str], Span | None]
"""The column of an operand of a row within the place of its line; None if it is not written
there."""


def instructions(
    program: Program,
    uses: Sequence[tuple[int, int, str]],
    unsaid: Unsaid,
    first: int = 0,
    places: Places = lambda line, row, operand: None,
) -> list[Problem]:
    """Every rule on every instruction from one on, reported where it is first used.

    A line of a loop may make many instructions: what it breaks in one round is not reported again.
    Those with tensors that found no place cannot be checked. What keeps its rules has a shape.
    Of more errors than are reported the rest is counted.
    """
    problems: list[Problem] = []
    errors = 0
    reported: set[tuple[object, ...]] = set()
    rules = _Rules(program)
    new = islice(program.instructions, first, None)
    homeless = any(tensor.offset is None for tensor in program.tensors.values())
    for instruction, (queue, pc, engine) in zip(new, uses[first:], strict=True):
        if queue < 0 or (homeless and not _placed(instruction)):
            continue
        broken = rules.broken_by(instruction, engine)
        if not broken:
            continue
        line = (queue, program.queues[queue].spans[pc])
        for rule, context, text in broken:
            if line[1] and (*line, rule) in reported:
                continue
            reported.add((*line, rule))
            error = rule.severity is Severity.ERROR
            errors += error
            if not error or errors <= MOST_ERRORS:
                problems.append(_problem(context, rule, text, program, queue, pc, places))
            else:
                unsaid.count += 1
    return problems


def all_kept(program: Program, instructions: Sequence[Instruction], engines: Sequence[str]) -> bool:
    """Whether some instructions of these engines keep every rule, and all tensors have places.

    False of those that ranks exchange data by, whose rules are about several of them.
    """
    if any(tensor.offset is None for tensor in program.tensors.values()):
        return False
    rules = _Rules(program)
    for instruction, engine in zip(instructions, engines, strict=True):
        if instruction.row.effect is RankExchange or rules.broken_by(instruction, engine):
            return False
    return True


def _placed(instruction: Instruction) -> bool:
    for operand in instruction.operands:
        if type(operand) is View:
            if operand.tensor.offset is None:
                return False
        elif type(operand) is tuple and any(v.tensor.offset is None for v in views(operand)):
            return False
    return True


Broken = tuple[Rule, InstructionContext, str]
"""A rule, the instruction that breaks it, and what was found."""


class _Rules:
    """The rules of a program's instructions, most of which are asked once for each shape."""

    def __init__(self, program: Program) -> None:
        self._target, self._generation = program.target, program.generation
        self._shapes = Shapes(program.generation)
        self._left: dict[Shape, tuple[Rule, ...]] = {}

    def broken_by(self, instruction: Instruction, engine: str) -> list[Broken]:
        """The rules that an instruction breaks; one that breaks none gets its shape."""
        row, operands, accepted = instruction.row, instruction.operands, instruction.accepted
        shape = None if accepted is None else accepted.shape
        left = None if accepted is None or shape is None else accepted.rules
        if shape is None or left is None:
            shape = self._shapes.known(row, operands, engine)
            left = None if shape is None else self._left.get(shape)
            if shape is None or left is None:
                return self._asked(instruction, engine)
            if accepted is not None:
                accepted.shape, accepted.rules = shape, left
        found = []
        if left:
            context = InstructionContext.of(row, operands, engine, self._generation)
            found = _broken(left, context)
            if any(rule.severity is Severity.ERROR for rule, _, _ in found):
                return found
        instruction.known = shape
        return found

    def _asked(self, instruction: Instruction, engine: str) -> list[Broken]:
        """The same, of all rules; those that every other one of its shape keeps are noted."""
        row, operands = instruction.row, instruction.operands
        context = InstructionContext.of(row, operands, engine, self._generation)
        asked = rules_of(self._target, row, bool(context.addressed))
        found = _broken(asked, context)
        if any(rule.severity is Severity.ERROR for rule, _, _ in found):
            return found
        instruction.known = shape = self._shapes.of(row, operands, engine, context)
        if not found:
            self._left[shape] = tuple(rule for rule in asked if rule.each)
        return found


def _broken(rules: Iterable[Rule], context: InstructionContext) -> list[Broken]:
    """Those of some rules that an instruction breaks."""
    found: list[Broken] = []
    for rule in rules:
        text = rule.check(context)
        if text is not None:
            found.append((rule, context, text))
            if rule.stops:
                break
    return found


def _problem(
    context: InstructionContext,
    rule: Rule,
    message: str,
    program: Program,
    queue: int,
    pc: int,
    places: Places,
) -> Problem:
    """The report of a broken rule: an error at its operand, what a line may allow at the line."""
    elsewhere, place = "", program.span(queue, pc)
    if rule.severity is Severity.ERROR:
        elsewhere = legal(program.target, rule, context)
        operand = rule.operand(message)
        if place is not None and operand:
            place = places(place, context.row, operand) or place
    problem = rule.refusal(context.row, message, elsewhere).at(place)
    return replace(problem, severity=rule.severity)


def labels(
    program: Program, undeclared: Container[str], unsaid: Unsaid, first: int = 0
) -> list[Problem]:
    """Labels that branches name and their queue lacks, those that are ``undeclared`` apart.

    Only instructions from one on are looked at.
    """
    problems: list[Problem] = []
    targets = {
        n: name
        for n, instruction in enumerate(islice(program.instructions, first, None), first)
        for name in _targets(instruction)
    }
    if not targets:
        return problems
    for index, lines in enumerate(program.queues):
        for pc, number in enumerate(lines.instructions):
            name = targets.get(number)
            if name is None or name in lines.labels or name in undeclared:
                continue
            if len(problems) < MOST_ERRORS:
                problems.append(_no_label(program, index, pc, name))
            else:
                unsaid.count += 1
    return problems


def _targets(instruction: Instruction) -> list[str]:
    return [str(instruction.operands[at]) for at in instruction.row.labels]


def _no_label(program: Program, queue: int, pc: int, name: str) -> Problem:
    lines = program.queues[queue]
    elsewhere = [program.queue_name(n) for n, q in enumerate(program.queues) if name in q.labels]
    hint = did_you_mean(name, lines.labels)
    if elsewhere:
        hint = f"it is in @{elsewhere[0]}; a label belongs to the queue it is written in"
    place = _pointing(program.span(queue, pc), name)
    return Problem("E0207", f"no label '{name}' in @{program.queue_name(queue)}", place, hint)


def _pointing(line: Span | None, name: str) -> Span | None:
    """The place of a name in a line, if it is written there as it is."""
    found = list(re.finditer(rf"\b{re.escape(name)}\b", line.text)) if line is not None else []
    if line is None or not found:
        return line
    return replace(line, start=line.start + found[-1].start(), end=line.start + found[-1].end())
