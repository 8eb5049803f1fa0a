"""What runs under other timings tell: plain frozen records."""

from __future__ import annotations

import math

from nasm.base.problems import Problem, counted, listed
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.machine.records import Status
from nasm.order.skeleton import COMPLETES, LANDS, Event
from nasm.runs.diff.records import TensorChange


@dataclass(frozen=True, slots=True)
class SemaphoreChange:
    """A semaphore that does not end with the same value: ``a`` in the plain run, ``b`` in this."""

    name: str
    a: int
    b: int

    def __str__(self) -> str:
        return f"${self.name} ends at {self.b:,} instead of {self.a:,}"


@dataclass(frozen=True, slots=True)
class Other:
    """How a run with other timings ended, and all that is not as in the plain run.

    ``tensors`` and ``semaphores`` are those that differ, which can be said only if both runs ended
    in the same way: with ``expected``, the status of the plain one. ``problem`` is why it did not
    finish, if it did not.
    """

    status: Status
    expected: Status
    tensors: tuple[TensorChange, ...] = ()
    semaphores: tuple[SemaphoreChange, ...] = ()
    problem: Problem | None = None

    @property
    def same(self) -> bool:
        """Whether it led to what the plain run led to."""
        return self.status is self.expected and not (self.tensors or self.semaphores)

    @property
    def differences(self) -> tuple[str, ...]:
        """What is not as in the plain run, a sentence each."""
        if self.status is not self.expected:
            text = f"{self.status.value} instead of {self.expected.value}"
            if self.problem is None:
                return (text,)
            why = self.problem.message.partition("\n")[0]
            return (f"{text} ({self.problem.code}: {why})",)
        return (*map(tensor_line, self.tensors), *map(str, self.semaphores))


@dataclass(frozen=True, slots=True)
class Schedule:
    """A run with timings drawn from a seed, and how long it took."""

    seed: int
    microseconds: float
    run: Other


@dataclass(frozen=True, slots=True, repr=False)
class Schedules:
    """How many runs there were with timings drawn, from the seed ``seed`` on.

    ``others`` are those that led to something else than the plain run.
    """

    seed: int
    count: int
    others: tuple[Schedule, ...]

    @property
    def same(self) -> bool:
        """Whether all led to what the plain run led to."""
        return not self.others

    @property
    def values(self) -> tuple[Schedule, ...]:
        """Those that ended as the plain run did, and left something else."""
        return tuple(s for s in self.others if s.run.status is s.run.expected)

    @property
    def endings(self) -> tuple[Schedule, ...]:
        """Those that did not end as the plain run did."""
        return tuple(s for s in self.others if s.run.status is not s.run.expected)

    @property
    def verdict(self) -> str:
        """What they show, in a few words."""
        if not self.same:
            verb = "leads" if len(self.others) == 1 else "lead"
            of = counted(self.count, "schedule")
            return f"{len(self.others):,} of {of} {verb} to something else"
        if self.count == 1:
            return "1 schedule leads to the same"
        return f"{counted(self.count, 'schedule')} lead to the same"

    def __str__(self) -> str:
        last = self.seed + self.count - 1
        seeds = f"seeds {self.seed} to {last}" if self.count > 1 else f"seed {self.seed}"
        lines = [f"{self.verdict} ({seeds})" if self.count else self.verdict]
        for some, what in ((self.values, "other values"), (self.endings, "another end")):
            if some:
                first, *more = some[0].run.differences
                lines.append(f"  {len(some):,} with {what}, the first with seed {some[0].seed}: ")
                lines[-1] += first
                lines += [f"      {line}" for line in more]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<schedules: {self.verdict}>"


@dataclass(frozen=True, slots=True)
class DelayedEvent:
    """An event that was delayed until nothing else could happen: of which instruction, and where.

    Of a transfer it was the landing of ``shares`` shares; 0 says that it was none.
    """

    event: Event
    queue: str
    pc: int
    span: Span | None
    text: str
    shares: int = 0

    @property
    def description(self) -> str:
        """The delayed event, in words."""
        where = f" of line {self.span.line}" if self.span else ""
        who = f"{self.queue} pc {self.pc} ({self.text}{where})"
        if self.event.kind == LANDS:
            return f"the landing{' of one share' if self.shares == 1 else ''} of {who}"
        return f"the {'completion' if self.event.kind == COMPLETES else 'start'} of {who}"


@dataclass(frozen=True, slots=True, repr=False)
class Witness:
    """The effect of delaying one event: ``run`` is that run.

    Of several events that were tried it is the first that changes something, or the last.
    """

    held: DelayedEvent
    run: Other
    tried: int = 1

    @property
    def shows(self) -> bool:
        """Whether anything changed."""
        return not self.run.same

    @property
    def line(self) -> str:
        """What it shows, in a sentence."""
        until = f"with {self.held.description} delayed until nothing else can happen"
        if not self.shows:
            return f"{until} nothing changes"
        also = [change.name for change in self.run.tensors[1:]]
        return f"{until}: {self.run.differences[0]}" + (
            f"; also {listed(also, 'and')}" if also else ""
        )

    def __str__(self) -> str:
        _, *more = self.run.differences or ("",)
        return "\n".join((self.line.partition("; also ")[0], *(f"  {line}" for line in more)))

    def __repr__(self) -> str:
        return f"<witness: {self}>"


def tensor_line(change: TensorChange) -> str:
    """What a tensor holds instead of what the plain run left there, in a sentence."""
    assert change.first is not None
    first = change.first
    index = f"[{', '.join(map(str, first.index))}]" if first.index else ""
    a, b = ("uninitialised" if v is None else f"{v:.9g}" for v in (first.a, first.b))
    line = f"{change.name}{index} would be {b} instead of {a}"
    if change.elements > 1:
        verb = "differs" if change.count == 1 else "differ"
        line += f"; {change.count:,} of {counted(change.elements, 'element')} {verb}"
    if change.largest is not None and math.isfinite(change.largest):
        line += f", by up to {change.largest:.6g}"
    return line
