"""Whether a program that ends in this run may hang under another timing."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.analysis.hazards.ordering import Ordering
from nasm.base.problems import Note, Problem, counted
from nasm.base.source import Span
from nasm.order.hangs import Hang, HangSearch
from nasm.order.late_takes import always_ends
from nasm.order.observer import Watch
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Event, Step
from nasm.program.program import Program
from nasm.runs.check.lines import CUT_SHORT, finding

MAY_HANG = "E0544"
MOST = 8
"""Events that are named of an order in which it hangs: the last ones."""


def may_hang(program: Program, ordering: Ordering | None) -> Iterator[Problem]:
    """What hangs in some execution of a run that has ended in this one, or that it is not known."""
    for problem, _ in hangs(program, ordering):
        yield problem


def hangs(program: Program, ordering: Ordering | None) -> Iterator[tuple[Problem, list[Event]]]:
    """The same, each with the events of which one, delayed, may show it."""
    if ordering is None or ordering.watch.full:
        return
    taken = ordering.judged().order.taken
    steps = [one.step for one in taken]
    search = HangSearch(steps)
    if search.free or always_ends(taken):
        return
    found = search.decide()
    if isinstance(found, Hang):
        problem = _Sentences(program, ordering.watch).problem(found)
        starts = [Event(STARTS, step.queue, step.index) for step in found.stuck]
        ends = [Event(COMPLETES, one.queue, one.index) for one in found.moves]
        yield problem, list(dict.fromkeys((*starts, *ends)))
    elif found is not None:
        text = "whether it may hang under another timing is not decided"
        if found.states:
            text += f": {counted(found.states, 'state')} of its waits and takes were looked at"
        hint = "neuron-nasm run --schedules tries others"
        yield finding(CUT_SHORT, text, None, hint), []


class _Sentences:
    """Puts a hang into words."""

    def __init__(self, program: Program, watch: Watch) -> None:
        self.program, self.watch = program, watch

    def problem(self, hang: Hang) -> Problem:
        """The error: who waits forever, and what happened before in that order."""
        waiting = [step for step in hang.stuck if step.wait is not None] or list(hang.stuck)
        first = min(waiting, key=self._rank)
        notes = [
            Note(f"then {self._waits(step)}", self._span(step.queue, step.index))
            for step in waiting
            if step is not first
        ]
        moves = [self._move(event) for event in hang.moves[-MOST:]]
        if moves:
            less = "… " if len(hang.moves) > MOST else ""
            notes.append(Note(f"an order that leads there: {less}{', then '.join(moves)}", None))
        return Problem(
            MAY_HANG,
            f"under another timing it hangs: {self._waits(first)}",
            self._span(first.queue, first.index),
            "what it waits for may have been taken, or set, by another one: let each wait for a "
            "semaphore of its own, or let one come after the other",
            tuple(notes),
        )

    def _rank(self, step: Step) -> tuple[bool, int, int]:
        """The ones that wait for what is taken come first."""
        counters = {u.semaphore for u in self.program.updates if u is not None and u.value < 0}
        return step.wait is None or step.wait.counter not in counters, step.queue, step.index

    def _waits(self, step: Step) -> str:
        who = self._who(step.queue, step.index)
        if step.wait is None:
            return f"{who} waits forever for the others that it meets"
        name = self.program.semaphore_name(step.wait.counter)
        return f"{who} waits forever for ${name} {step.wait.op} {step.wait.value}"

    def _move(self, event: Event) -> str:
        verb = {STARTS: "starts", COMPLETES: "completes", LANDS: "moves a share"}[event.kind]
        return f"{self._who(event.queue, event.index)} {verb}"

    def _who(self, queue: int, index: int) -> str:
        return self.program.instruction_name(queue, self.watch.pcs[queue][index])

    def _span(self, queue: int, index: int) -> Span | None:
        return self.program.span(queue, self.watch.pcs[queue][index])
