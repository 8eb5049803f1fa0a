"""Hazards a run meets: legal text, wrong program. Each place is reported once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.problems import Note, Problem
from nasm.source import Span
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine


class Hazards:
    """Collects what a machine meets, once per instruction and kind."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.found: list[Problem] = []
        self._seen: set[tuple[object, ...]] = set()

    def _add(self, key: tuple[object, ...], problem: Problem) -> None:
        if key not in self._seen:
            self._seen.add(key)
            self.found.append(problem)

    def _span(self, queue: int, pc: int) -> Span | None:
        return self.machine.program.span(queue, pc)

    def _who(self, queue: int, pc: int) -> str:
        program = self.machine.program
        return f"{program.queues[queue].engine} pc {pc} ({program.form(queue, pc).row.name})"

    def race(self, kind: str, reader: tuple[int, int], writer: tuple[int, int], now: int) -> None:
        """Two accesses met without an order between them."""
        me, other = self._who(*reader), self._who(*writer)
        said = {
            "read": f"{me} reads what {other} is still writing: it gets the old bytes",
            "write": f"{me} writes what {other} is still writing: the later one wins",
            "overwrite": f"{me} overwrites what {other} has still to read",
        }[kind]
        hint = self._wait_hint(writer)
        self._add(
            ("race", kind, reader, writer[0], writer[1]),
            Problem(
                "E0502", f"{said} (at {self.machine.microseconds(now):.3f} µs)",
                self._span(*reader), hint, (Note("the other one", self._span(*writer)),),
            ),
        )  # fmt: skip

    def _wait_hint(self, writer: tuple[int, int]) -> str:
        program = self.machine.program
        update = program.updates[program.queues[writer[0]].updates[writer[1]]]
        if update is None:
            return "let the other one update a semaphore, and wait for it here"
        name = program.semaphore_name(update.semaphore)
        return f"the other one updates ${name}: wait for that here"

    def unwritten(self, queue: int, pc: int, view: View, adding: bool) -> None:
        """A read of bytes nobody has written."""
        name = view.tensor.name
        verb = "accumulates onto" if adding else "reads"
        hint = (
            "the first matmul of a group overwrites: accumulate=false"
            if adding
            else "wait for the semaphore of whoever fills it, or fill it first"
        )
        writers = [
            f"{self._who(q.index, at)} is writing it now"
            for q in self.machine.scheduler.queues
            for _, at, _, _, task, _ in q.flight
            if q.index != queue and any(w.place == self.machine.place(view.tensor) for w in task.writes)
            and self._touches(q.index, at, name)
        ]
        self._add(
            ("unwritten", queue, pc, name),
            Problem(
                "E0501",
                f"{self._who(queue, pc)} {verb} {name}, parts of which were never written",
                self._span(queue, pc), hint, tuple(Note(w) for w in writers),
            ),
        )  # fmt: skip

    def _touches(self, queue: int, pc: int, name: str) -> bool:
        operands = self.machine.program.form(queue, pc).operands
        return any(isinstance(o, View) and o.tensor.name == name for o in operands)

    def register(self, queue: int, pc: int, number: int) -> None:
        """A read of a register nobody has set."""
        self._add(
            ("register", queue, pc, number),
            Problem(
                "E0505", f"{self._who(queue, pc)} reads %r{number}, which was never set: it holds 0",
                self._span(queue, pc), "RegisterMove sets a register; every engine has its own set",
            ),
        )  # fmt: skip
