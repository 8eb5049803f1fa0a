"""Some ranks of a run, in one process: what an engine calls, wherever that process is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from nasm.base import gc_pause
from nasm.base.problems import Problem
from nasm.isa.collectives import Parcel
from nasm.machine import tensor_io
from nasm.machine.rank_meetings import RankLanding
from nasm.machine.records import RunReport, Status
from nasm.program.program import Program
from nasm.ranks.interface import Progressed
from nasm.ranks.rank import Rank
from nasm.runs.execution import Execution
from nasm.runs.settings import RunSettings
from nasm.views.view import View

SLICE = 0.5
"""Seconds after which a host elsewhere answers, so that what runs it can halt it."""


class RankHost:
    """The ranks of a program that have the numbers of ``given``, each with its own inputs.

    With ``sliced`` they are advanced for half a second at a time. Raises Failure with every problem
    of the program and the inputs.
    """

    def __init__(
        self,
        program: Program,
        given: Mapping[int, Mapping[str, Any]],
        settings: RunSettings,
        sliced: bool = False,
    ) -> None:
        limits = settings.max_cycles, settings.max_instructions
        self.sliced = sliced
        self.ranks = {
            number: Rank(Execution(program, inputs, rank=number, settings=settings), *limits)
            for number, inputs in given.items()
        }

    def advance(self, wanted: Sequence[tuple[int, int | None]]) -> list[Progressed]:
        """Advance some ranks, in this order, each up to its tick."""
        until = time.monotonic() + SLICE if self.sliced else None
        with gc_pause.paused():
            return [self.ranks[number].advance(tick, until) for number, tick in wanted]

    def sent(self, waiting: Sequence[tuple[int, int]]) -> list[tuple[Parcel, ...]]:
        """What ranks send by the collectives that wait in queues of theirs."""
        return [self.ranks[number].sent(queue) for number, queue in waiting]

    def land(self, landings: Sequence[tuple[int, RankLanding]]) -> None:
        """Give ranks what they receive."""
        for number, landing in landings:
            self.ranks[number].land(landing)

    def halt(self, wanted: bool = True) -> None:
        """End where every rank is between two events; ``wanted=False`` takes it back."""
        for rank in self.ranks.values():
            rank.execution.halt(wanted)

    def stop(self, numbers: Sequence[int], status: Status, problem: Problem | None) -> None:
        """Some ranks cannot continue."""
        for number in numbers:
            self.ranks[number].stop(status, problem)

    def reports(self, hashes: bool) -> list[tuple[int, RunReport]]:
        """The report of each rank."""
        return [(number, rank.execution.report(hashes)) for number, rank in self.ranks.items()]

    def contents(self, name: str) -> list[tuple[int, Any]]:
        """The elements of a tensor in each rank."""
        found = []
        for number, rank in self.ranks.items():
            view = View.whole(rank.execution.program.tensors[name])
            found.append((number, tensor_io.contents(rank.execution.machine.addresses, view)))
        return found
