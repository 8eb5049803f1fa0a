"""What a program on a machine holds: read, and never changed, between any two events of its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from nasm.analysis import operations, summary
from nasm.analysis.hazards import warnings
from nasm.analysis.hazards.hazards import Hazards
from nasm.analysis.hazards.ordering import Ordering
from nasm.base.dtypes import DType
from nasm.base.files import Allowed
from nasm.base.problems import (
    Failure,
    Problem,
    ProblemFamily,
    Refused,
    did_you_mean,
    family,
    listed,
    quoted,
)
from nasm.base.source import Source
from nasm.base.suppressions import Judged, Policy
from nasm.language.expanding.evaluate import evaluate
from nasm.language.expanding.scope import Scope
from nasm.language.expectations import python_calls
from nasm.language.expectations.judge import judge
from nasm.language.expectations.records import ExpectationRecord
from nasm.language.text.aliases import spelled
from nasm.language.text.parse import parse_expression
from nasm.machine import Machine, tensor_io
from nasm.machine.outlines import NoValues
from nasm.machine.records import (
    EXAMINED,
    BankRecord,
    ChannelRecord,
    EngineRecord,
    Executed,
    Message,
    QueueRecord,
    Rows,
    SemaphoreRecord,
    Status,
    Units,
)
from nasm.program.program import Program
from nasm.sim.counters import Who
from nasm.sim.queues import Queue
from nasm.sim.trace import Trace
from nasm.views.view import View

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.analysis.order_question import OrderAnswer

T = TypeVar("T")

FEW = 6
"""Names that are listed where one is not known."""


class Inspection:
    """What can be asked of a program on a machine.

    ``files`` are those that it may read; ``policy`` says which of its problems count, ``status``
    how far the run has got, ``source`` the text it was made from, if it is known, and ``inputs``
    what was given of them, by name. ``problems`` are why it did not end well, ``limit`` why it has
    not ended; it was changed by hand ``changes_made`` times. ``named`` are expressions by names
    that the user gave them.
    """

    program: Program
    machine: Machine
    files: Allowed
    policy: Policy
    status: Status
    source: Source | None
    problems: list[Problem]
    limit: Problem | None
    changes_made: int
    inputs: Mapping[str, Any] = MappingProxyType({})
    called = ""
    named: Mapping[str, str] = MappingProxyType({})

    @property
    def title(self) -> str:
        """The name of the program: of its text, or what it is called; empty if it has none."""
        return self.source.name if self.source else self.called

    @property
    def values(self) -> bool:
        """Whether tensors have values; without, asking for some raises Failure."""
        return self.machine.values

    @property
    def now(self) -> int:
        """The tick the machine has reached."""
        return self.machine.scheduler.now

    @property
    def units(self) -> Units:
        """What numbers in records are worth."""
        return summary.units(self.machine)

    def rows(self, kind: type[T], records: Iterable[T]) -> Rows[T]:
        """Records that know what their numbers are worth."""
        return Rows(kind, records, self.units)

    def microseconds(self, ticks: int | None = None) -> float:
        """Ticks in microseconds; without any, the time it is."""
        return self.units.microseconds(self.now if ticks is None else ticks)

    def name(self, record: QueueRecord | EngineRecord | Executed) -> str:
        """What to call the engine of a record: with its core if the program uses several."""
        return self.program.named(record.core, record.engine)

    def view(self, text: str) -> View:
        """A tensor, or a slice or view of one, as the language writes it; raises Failure.

        The program's constants may be used in it, and names of expressions.
        """
        source = Source("<expression>", self.spelled(text))
        node = parse_expression(source, 0, len(source.text))
        scope = self.scope(source)
        value = evaluate(node, scope)
        if not isinstance(value, View):
            raise Failure(Problem("E0301", f"'{text}' is not a tensor", scope.span(node)))
        return value

    def spelled(self, text: str, hidden: Set[str] = frozenset()) -> str:
        """An expression with its names replaced, but for those ``hidden`` by others.

        Raises Refused if there is too much of that.
        """
        return spelled(str(text), self.named, hidden)

    def scope(self, source: Source) -> Scope:
        """What names mean in a text that asks about the program."""
        scope = Scope(source)
        scope.tensors = self.program.tensors
        scope.values.update(self.program.constants)
        scope.values.update(self.program.views)
        return scope

    def read(self, text: str) -> np.ndarray[Any, Any]:
        """The elements of a tensor or slice now, in its dtype (ml_dtypes where numpy has none)."""
        return tensor_io.contents(self.machine.addresses, self.view(text))

    def known(self, text: str) -> np.ndarray[Any, Any]:
        """Which elements of a tensor or slice are initialised."""
        return tensor_io.known(self.machine.addresses, self.view(text))

    def registers(self, engine: str) -> dict[int, int | None]:
        """The registers of an engine that are initialised; it is named as :meth:`queue` says.

        None is what a run without values does not know.
        """
        held = self.machine.state.registers[self.queue(engine).index]
        return {
            n: v if isinstance(v, int) else None
            for n, (v, k) in enumerate(zip(held.values, held.known, strict=True))
            if k
        }

    def loop_registers(self, engine: str) -> dict[int, str]:
        """The registers in which an engine counts where it is now, and what they hold."""
        queue = self.queue(engine)
        return {} if queue.done else self.program.register_names(queue.index, queue.pc)

    def queue(self, engine: str) -> Queue:
        """An engine's queue by name or alias, ``1.tensor`` of core 1; raises Refused.

        An ``@`` in front of its name is no part of it.
        """
        engine = str(engine).strip().removeprefix("@")
        number, dot, rest = engine.rpartition(".")
        name = self.program.generation.engine(rest).name
        core = self.program.core_numbered(number) if dot else 0
        for queue in self.machine.scheduler.queues:
            if (queue.core, queue.engine) == (core, name):
                return queue
        last = self.program.cores - 1
        used = f"cores 0 to {last}" if last else "core 0 alone"
        raise Refused("E0203", f"no engine '{quoted(engine)}'", f"the program uses {used}")

    def semaphore(self, name: str) -> int:
        """The number of a semaphore or event, among those of all cores; raises Refused.

        The ``$`` in front of its name may be left out.
        """
        numbers = {**self.program.semaphores, **self.program.events}
        name = str(name).strip().removeprefix("$").strip()
        number = numbers.get(name)
        if number is None:
            hint = did_you_mean(name, numbers, "$") or (
                f"it has {listed((f'${n}' for n in numbers), 'and')}"
                if 0 < len(numbers) <= FEW
                else "the program has none: .sem s declares one"
                if not numbers
                else "'info semaphores' lists them"
            )
            raise Refused("E0206", f"no semaphore '${quoted(name)}'", hint)
        return number

    def queues(self) -> Rows[QueueRecord]:
        """The state of every queue."""
        queues = self.machine.scheduler.queues
        return self.rows(QueueRecord, (summary.queue_record(self.machine, q) for q in queues))

    def semaphores(self) -> Rows[SemaphoreRecord]:
        """Every semaphore and event the program names."""
        return self.rows(SemaphoreRecord, summary.semaphore_records(self.machine))

    def channels(self) -> Rows[ChannelRecord]:
        """Every channel (DMA engine)."""
        return self.rows(ChannelRecord, summary.channel_records(self.machine))

    def banks(self) -> tuple[BankRecord, ...]:
        """Every bank of a banked memory."""
        return summary.bank_records(self.machine)

    @cached_property
    def _hazards(self) -> Hazards:
        return Hazards(self.machine)

    def hold_hints(self) -> None:
        """The run is about to change: search for the hints of what was reported of it.

        They are of the run as it is now.
        """
        hazards = self.__dict__.get("_hazards")
        if hazards is not None:
            hazards.hold()

    @property
    def ordering(self) -> Ordering | None:
        """The order of the run so far; None if nothing in the program could be in no order."""
        return self._hazards.ordering

    def order(self, one: int, other: int) -> OrderAnswer:
        """Whether two lines of the text are in order in every execution, and why.

        It is about what was executed by now. Raises Failure if nothing of a line was.
        """
        from nasm.analysis.order_question import NO_LINE, OrderQuestion

        ordering = self.ordering
        if ordering is None:
            text = (
                "all is in order: the program has one queue, or its queues touch nothing in common"
            )
            raise Failure(Problem(NO_LINE, text, None))
        try:
            return OrderQuestion(self.program, ordering).ask(one, other)
        except Refused as refused:
            raise Failure(refused.at(None)) from None

    @property
    def hazards(self) -> tuple[Problem, ...]:
        """The hazards of the run so far, those that are allowed apart."""
        return self.judged().errors

    def hazard_counts(self) -> tuple[int, ...]:
        """The size of what hazards are derived from: there are others only if it grows."""
        counts = self.ordering.counts() if self.ordering is not None else ()
        return (len(self.machine.findings.found), self.status is Status.FINISHED, *counts)

    def judged(self) -> Judged:
        """What of the program and of the run so far is worth telling, and what of it counts."""
        return self.policy.judged(self._noticed())

    def _noticed(self) -> Iterator[Problem]:
        machine, hazards, ordering = self.machine, self._hazards, self.ordering
        found = hazards.run_errors
        reported = {(p.span, p.facts.get("tensor")) for p in found if p.code == "E0501"}
        for problem in self.program.warnings:
            if problem.code != "E0501" or (problem.span, problem.facts["tensor"]) not in reported:
                yield problem  # reads of uninitialised bytes are partly seen by the run itself
        yield from hazards.warnings
        yield from warnings.below_zero(machine.below_zero)
        yield from self._late()
        if ordering is None:
            yield from found
            yield from warnings.lost(machine.losses)
        else:
            yield from ordering.warnings()
            yield from ordering.among(found, self._counts)
            yield from warnings.lost(machine.losses, ordering.explained(self._counts))
        yield from warnings.numbers(machine.findings.numbers)

    def _counts(self, race: Problem) -> bool:
        """Whether a race is not allowed."""
        return self.policy.allowing(race) is None

    def _late(self) -> tuple[Problem, ...]:
        """Transfers that nothing waits for at the end of a run."""
        hazards, ordering = self._hazards, self.ordering
        flying = self._own(self.machine.scheduler.late)
        if self.status is not Status.FINISHED or ordering is None:
            return hazards.late(flying)
        reported = ordering.moved(self._counts)
        late, unlanded = (
            [who for who in origins if self.program.line(*who) not in reported]
            for origins in (flying, self._own(ordering.unlanded()))
        )
        return hazards.late(late, unlanded)

    def _own(self, origins: Iterable[Who]) -> list[Who]:
        """Those of the program itself: what was typed can still be waited for."""
        queues = self.program.queues
        return [(queue, pc) for queue, pc in origins if pc < len(queues[queue])]

    def unused(self) -> tuple[Problem, ...]:
        """A note for each allow that a whole run did not need, if it looked for that."""
        if self.status is not Status.FINISHED:
            return ()
        hazards = self.machine.checked and self.machine.values

        def looked_for(code: str) -> bool:
            if code in EXAMINED:
                return False
            return (
                hazards
                if family(code) is ProblemFamily.HAZARD
                else family(code) is not ProblemFamily.SLOW
            )

        return self.policy.unused(self._noticed(), looked_for)

    @property
    def trace(self) -> Trace:
        """Every record of the run so far; raises RuntimeError unless it was asked for."""
        if self.machine.trace is None:
            raise RuntimeError("no trace is kept: make the session with trace=True")
        return self.machine.trace

    @property
    def messages(self) -> tuple[Message, ...]:
        """What instructions have said so far: the first thousand messages, at the most."""
        return summary.messages(self.machine)

    def outputs(self) -> dict[str, np.ndarray[Any, Any]]:
        """The program's outputs as arrays of their dtypes."""
        return {
            name: tensor_io.contents(self.machine.addresses, View.whole(tensor))
            for name, tensor in self.program.tensors.items()
            if tensor.role in ("output", "inout")
        }

    def expectations(self) -> tuple[ExpectationRecord, ...]:
        """Judge what the program says must hold; raises Failure if an expression is wrong.

        In a run without values those that ask for some are left out.
        """
        measures, judged = RunMeasures(self), []
        for expectation in self.program.expectations:
            with suppress(NoValues):
                judged.append(judge(expectation, measures))
        return tuple(judged)


class RunMeasures:
    """What expectations may ask of a run."""

    def __init__(self, held: Inspection) -> None:
        self.held = held
        self.files = held.files

    def tensor(self, name: str) -> tuple[np.ndarray[Any, Any], DType] | None:
        """A tensor as it is now, and its dtype; None if there is none of this name."""
        tensor = self.held.program.tensors.get(name)
        if tensor is None:
            return None
        return tensor_io.as_it_is(self.held.machine.addresses, tensor), tensor.dtype

    def engine(self, what: str, name: str, core: int) -> float:
        """A measure of an engine so far; refuses an unknown one."""
        queue = self.held.queue(f"{core}.{name}")
        cycle = self.held.machine.cycle(queue.index)
        if what == "cycles":
            return queue.finished // cycle
        busy, idle = queue.times(self.held.now)
        if what == "busy":
            return busy // cycle
        if what == "stalls":
            return sum(t for (cause, _), t in idle.items() if cause != "empty") // cycle
        if what == "util":
            return busy / max(1, self.held.now)
        raise Refused("E0222", f"an engine has no measure '{what}'")

    def python(
        self, name: str, source: str, plain: Sequence[Any], named: Mapping[str, Any]
    ) -> np.ndarray[Any, Any]:
        """What a function of a Python file returns; a run without values calls none."""
        if not self.held.machine.values:
            raise NoValues.of(name)
        return python_calls.called(name, source, self.files, plain, named)

    def whole(self, what: str) -> float:
        """The time so far in microseconds, or the MFU; refuses an MFU that there is not."""
        machine = self.held.machine
        if what == "time_us":
            return machine.microseconds(self.held.now)
        found = operations.mfu(machine)
        if found is None:
            message = "mfu() of a run without products, or of a machine whose peak is not known"
            raise Refused("E0222", message)
        return found
