"""The hazards of one machine's run, computed on demand."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.analysis.hazards.ordering import Ordering
from nasm.analysis.hazards.sentences import Sentences
from nasm.base.problems import Problem
from nasm.machine.machine import Machine
from nasm.sim.counters import Who


class Hazards:
    """Turns what a machine has kept of its run into problems."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._sentences = Sentences(machine.program)
        self._judged: tuple[list[int], Ordering] | None = None

    @property
    def ordering(self) -> Ordering | None:
        """The order of the run; None if nothing in the program could be in no order.

        If the program has grown since, all of it is judged again.
        """
        machine, program = self.machine, self.machine.program
        if machine.watch is None:
            return None
        size = [len(program.tensors), *(len(lines.instructions) for lines in program.queues)]
        if self._judged is None or self._judged[0] != size:
            parts = program, machine.scheduler, machine.addresses, machine.watch
            made = Ordering(*parts, lambda: machine.wait_columns)
            self._judged = size, made
        return self._judged[1]

    def hold(self) -> None:
        """The run is about to change: search for the hints of what was reported of it."""
        if self._judged is not None:
            self._judged[1].hold()

    @property
    def run_errors(self) -> list[Problem]:
        """The errors that the run has met."""
        return [self._sentences.problem(fact) for fact in self.machine.findings.found]

    @property
    def warnings(self) -> list[Problem]:
        """The warnings that the run has met."""
        return [self._sentences.problem(fact) for fact in self.machine.findings.warnings]

    def late(self, flying: Iterable[Who], more: Iterable[Who] = ()) -> tuple[Problem, ...]:
        """Transfers that nothing waits for: see :meth:`Sentences.late`."""
        return self._sentences.late(flying, more)
