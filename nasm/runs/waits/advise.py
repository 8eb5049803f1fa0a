"""What the waits of a program could be instead: found, tried, and verified by runs of each change.

A run without values is judged again with other waits, and with those that keep all executions in
order and let them end the changed program is run: it must have no error, and compute the same of
the same (:mod:`nasm.runs.equal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.machine.records import MOST_EXAMINED
from nasm.order.check import Check
from nasm.program.program import Program
from nasm.runs.equal.followed import FollowedProgram, follow
from nasm.runs.equal.shadow import TooCoarse, unit_of
from nasm.runs.equal.value_numbers import ValueNumbers
from nasm.runs.waits.candidates import Candidate, Candidates
from nasm.runs.waits.edits import WaitEdits, changed, joined
from nasm.runs.waits.records import SemaphoreUse, WaitReport
from nasm.runs.waits.semaphores import SemaphoreSharing
from nasm.runs.waits.sentences import WaitSentences
from nasm.runs.waits.trials import BUDGET, WaitTrials

RUNS = 2_000_000
"""Instructions that are executed again, in all, to verify changes."""


def advised(program: Program, *, max_instructions: int | None = MOST_EXAMINED) -> WaitReport:
    """Every wait and post that could be otherwise, as far as they are tried.

    It is followed for at most ``max_instructions``; if it has an error, or values decide how it
    continues, nothing is looked at.
    """
    for unit in (unit_of((program,)), 1):
        try:
            return _Advising(program, unit, max_instructions).advice()
        except TooCoarse:
            continue
    raise AssertionError("a byte is a unit of everything")


class _Advising:
    """One program, followed once for what it is, and once for each change that holds."""

    def __init__(self, program: Program, unit: int, most: int | None) -> None:
        self.program, self.unit, self.most = program, unit, most
        self.numbers = ValueNumbers()
        self.base = follow(program, self.numbers, unit, most)
        self.runs = RUNS

    def advice(self) -> WaitReport:
        """All that is found."""
        base = self.base
        if base.reason:
            return WaitReport(reason=base.reason)
        ordering = base.execution.ordering
        if ordering is None:
            return WaitReport(reason="nothing in it could be in no order")
        check = ordering.judged()
        if check.watch.vague:
            return WaitReport(reason="values decide addresses, and with them what it waits for")
        trials = WaitTrials(self.program, check, BUDGET)
        candidates = Candidates(self.program, check, trials)
        verified = list(self._verified(candidates.found()))
        verified.sort(key=lambda one: (-one[1], one[0].places))
        together, ticks = self._together(trials, [one for one, _ in verified])
        words = WaitSentences(self.program, candidates.lines, check)
        waiting = dict(candidates.lines.waiting())
        return WaitReport(
            waits=sum(map(len, waiting.values())),
            lines=len(waiting),
            suggestions=tuple(
                words.suggestion(one, self._us(saved), one in together) for one, saved in verified
            ),
            semaphores=self._semaphores(check),
            microseconds=self._us(self._ticks(base)),
            changed=self._us(ticks),
            untried=trials.untried,
        )

    def _us(self, ticks: int) -> float:
        return ticks / self.program.generation.ticks

    def _ticks(self, side: FollowedProgram) -> int:
        return side.execution.machine.scheduler.now

    def _verified(self, some: Iterator[Candidate]) -> Iterator[tuple[Candidate, int]]:
        """The changes after which the program has the same results, with the ticks each saves."""
        for one in some:
            ticks = self._run(one.edits)
            if ticks is not None:
                yield one, self._ticks(self.base) - ticks

    def _run(self, edits: WaitEdits) -> int | None:
        """How long the changed program takes; None if it has an error or other results."""
        side = follow(changed(self.program, edits), self.numbers, self.unit, self.most)
        self.runs -= side.instructions
        if side.reason or side.numbering is None or self.base.numbering is None:
            return None
        for name, tensor in self.program.tensors.items():
            if tensor.role in ("output", "inout"):
                mine = self.base.numbering.output(tensor)
                other = side.numbering.output(side.program.tensors[name])
                if (mine != other).any():
                    return None
        return self._ticks(side)

    def _together(
        self, trials: WaitTrials, some: Sequence[Candidate]
    ) -> tuple[list[Candidate], int]:
        """A set of changes that holds as a whole and to which none can be added, and its ticks."""
        kept = self._greedy(trials, some)
        while kept:
            edits = joined(one.edits for one in kept)
            assert edits is not None
            ticks = self._run(edits)
            if ticks is not None:
                return kept, ticks
            kept = kept[:-1]
        return [], self._ticks(self.base)

    def _greedy(self, trials: WaitTrials, some: Sequence[Candidate]) -> list[Candidate]:
        """Add changes one by one: all at once if that holds, else half after half."""
        kept: list[Candidate] = []

        def add(more: Sequence[Candidate]) -> None:
            edits = joined(one.edits for one in (*kept, *more))
            if edits is not None and trials.holds(edits):
                kept.extend(more)
            elif len(more) > 1:
                half = len(more) // 2
                add(more[:half])
                add(more[half:])

        if some:
            add(some)
        return kept

    def _semaphores(self, check: Check) -> tuple[SemaphoreUse, ...]:
        """The fewest semaphores, if the program with them is verified."""
        sharing = SemaphoreSharing(self.program, check)
        edits = sharing.edits()
        if edits.size and self._run(edits) is None:
            return ()
        return sharing.records()
