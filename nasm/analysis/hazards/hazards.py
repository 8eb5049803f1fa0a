"""The hazards of one machine's run, worked out when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

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

    @property
    def ordering(self) -> Ordering | None:
        """The order of the run; None if nothing in the program could be in no order."""
        return None if self.machine.watch is None else self._ordering

    @cached_property
    def _ordering(self) -> Ordering:
        machine = self.machine
        assert machine.watch is not None
        return Ordering(machine.program, machine.scheduler, machine.addresses, machine.watch)

    def forget(self) -> None:
        """The program has grown: judge the order of all there is of it."""
        self.__dict__.pop("_ordering", None)

    @property
    def found(self) -> list[Problem]:
        """The errors that the run has met."""
        return [self._sentences.problem(fact) for fact in self.machine.findings.found]

    @property
    def warnings(self) -> list[Problem]:
        """The warnings that the run has met."""
        return [self._sentences.problem(fact) for fact in self.machine.findings.warnings]

    def late(self, flying: Iterable[Who], more: Iterable[Who] = ()) -> tuple[Problem, ...]:
        """Transfers that nothing waits for: see :meth:`Sentences.late`."""
        return self._sentences.late(flying, more)
