"""What a run does that legal text should not do: facts, of which each place is reported once.

Sentences are made of them in ``nasm/analysis/hazards/``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from nasm.base.problems import Problem, Severity
from nasm.base.records import dataclass
from nasm.machine.grown_table import GrownTable
from nasm.machine.numbers import NumberFindings
from nasm.machine.writers import Writers, part
from nasm.program.program import Program
from nasm.sim.counters import Semaphore, Who
from nasm.sim.events import Observer
from nasm.sim.memory import Mask
from nasm.views.regions import Region
from nasm.views.view import View

Key = tuple[object, ...]
"""What is reported once."""

LISTED = 3
"""How many writers of a tensor are named."""


@dataclass(frozen=True, slots=True)
class UninitialisedRead:
    """A read of ``missing`` uninitialised elements of ``size``; ``adding`` if to add to them.

    ``writers`` are the first instructions that write any of them, one more than are named; if there
    are none, ``elsewhere`` are some that write other elements of the tensor.
    """

    who: Who
    tensor: str
    missing: int
    size: int
    adding: bool
    writers: tuple[Who, ...]
    elsewhere: tuple[Who, ...]


@dataclass(frozen=True, slots=True)
class UninitialisedBytes:
    """A read by address of ``count`` bytes, of which ``missing`` are uninitialised."""

    who: Who
    memory: str
    address: int
    count: int
    missing: int


@dataclass(frozen=True, slots=True)
class UninitialisedRegister:
    """A read of a register that was not set."""

    who: Who
    number: int


@dataclass(frozen=True, slots=True)
class NotAccumulable:
    """An instruction adds to what another kind of instruction, of ``writers``, wrote last."""

    who: Who
    tensor: str
    writers: tuple[Who, ...]


@dataclass(frozen=True, slots=True)
class ReadsOwnResult:
    """A transfer reads what it writes, and its shares have no order."""

    who: Who


@dataclass(frozen=True, slots=True)
class WritesTwice:
    """A transfer writes one place twice, and its shares have no order."""

    who: Who


@dataclass(frozen=True, slots=True)
class EventUnchanged:
    """An event was set that was set, or cleared that was clear: it has ``value``."""

    who: Who
    number: int
    value: int
    now: int


@dataclass(frozen=True, slots=True)
class Reported:
    """What an object that a core holds reports of an instruction, and what ``others`` do."""

    who: Who
    code: str
    message: str
    hint: str
    others: tuple[tuple[Any, str], ...]
    warning: bool


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A result that the hardware does not guarantee: harmless if nothing uses it."""

    who: Who
    message: str
    rule: str


Fact = (
    UninitialisedRead
    | UninitialisedBytes
    | UninitialisedRegister
    | NotAccumulable
    | ReadsOwnResult
    | WritesTwice
    | EventUnchanged
    | Reported
    | Doubtful
)
"""Whatever is found of an instruction."""


class Findings(Observer):
    """Collects the facts of a run, once per kind and line of the text.

    ``found`` are those that are errors, ``warnings`` the others; a problem that was found of the
    run as a whole is among them. ``acting`` says which instruction, as (queue, pc), starts,
    completes or moves bytes now, ``region`` which bytes a view touches.
    """

    def __init__(
        self, program: Program, acting: Callable[[], Who], region: Callable[[View], Region]
    ) -> None:
        self.program, self.acting, self.region = program, acting, region
        self.writers = Writers(program, region)
        self.numbers = NumberFindings(program, acting)
        self.found = GrownTable[Key, Fact | Problem]()
        self.warnings = GrownTable[Key, Fact | Problem]()

    def save(self) -> Any:
        """What was found until now."""
        return self.found.save(), self.warnings.save(), self.numbers.save()

    def restore(self, saved: Any) -> None:
        """Forget what was found since."""
        found, warnings, numbers = saved
        self.found.restore(found)
        self.warnings.restore(warnings)
        self.numbers.restore(numbers)

    def add(self, problem: Problem) -> None:
        """Something that was found about the run as a whole."""
        warning = problem.severity is not Severity.ERROR
        self._add(problem, (problem.code, problem.message), warning)

    def _add(self, fact: Fact | Problem, key: Key, warning: bool = False) -> None:
        if not self._known(key):
            (self.warnings if warning else self.found).add(key, fact)

    def again(self, fact: Fact | Problem, key: Key, warning: bool) -> None:
        """Something that another machine has found of the same run."""
        self._add(fact, key, warning)

    def _known(self, key: Key) -> bool:
        """Whether it was found already."""
        return self.found.number(key) is not None or self.warnings.number(key) is not None

    def _key(self, kind: type[Fact], who: Who, *more: object) -> Key:
        """What is reported once: something of a line, whichever of its rounds it is."""
        return kind, self.program.line(*who), *more

    # -- reads

    def uninitialised(
        self,
        view: View,
        missing: int | Callable[[], Mask],
        adding: bool = False,
        who: Who | None = None,
    ) -> None:
        """A read of uninitialised bytes: of so many elements, or of those it may be asked for."""
        who, name = who or self.acting(), view.tensor.name
        key = self._key(UninitialisedRead, who, name)
        if self._known(key):
            return
        whole = (self.region(View.whole(view.tensor)),)
        places: Sequence[Region] = whole
        if not isinstance(missing, int):
            chosen = missing()
            missing = int(np.count_nonzero(chosen))
            places = part(self.region(view), chosen, view)
        writers = self._writing(places, who)
        elsewhere = () if writers else self._writing(whole, who)[:LISTED]
        self._add(UninitialisedRead(who, name, missing, view.size, adding, writers, elsewhere), key)

    def _writing(self, places: Sequence[Region], but: Who) -> tuple[Who, ...]:
        """The first few instructions that write any of some bytes, without one."""
        found = (who for who in self.writers.of(places) if who != but)
        return tuple(islice(found, LISTED + 1))

    def uninitialised_bytes(self, memory: str, address: int, count: int, missing: int) -> None:
        """A read by address of bytes of which so many are uninitialised."""
        who = self.acting()
        key = self._key(UninitialisedBytes, who, memory)
        self._add(UninitialisedBytes(who, memory, address, count, missing), key)

    def register(self, number: int) -> None:
        """A read of an uninitialised register."""
        who = self.acting()
        key = self._key(UninitialisedRegister, who, number)
        self._add(UninitialisedRegister(who, number), key)

    def not_accumulable(self, view: View) -> None:
        """An instruction adds to what another kind of instruction wrote last."""
        who, name = self.acting(), view.tensor.name
        key = self._key(NotAccumulable, who, name)
        if not self._known(key):
            writers = tuple(islice(self._of_another_kind(who, view), LISTED))
            self._add(NotAccumulable(who, name, writers), key)

    def _of_another_kind(self, who: Who, view: View) -> Iterator[Who]:
        """What writes the bytes of a view and is not an instruction of the same row."""
        row = self.program.instruction(*who).row
        place = self.region(view if view.offsets is None else View.whole(view.tensor))
        for writer in self.writers.of((place,)):
            if self.program.instruction(*writer).row is not row:
                yield writer

    # -- transfers

    def reads_own_result(self, who: Who) -> None:
        """A transfer reads what it writes."""
        self._add(ReadsOwnResult(who), self._key(ReadsOwnResult, who))

    def writes_twice(self, who: Who) -> None:
        """A transfer writes one place twice."""
        self._add(WritesTwice(who), self._key(WritesTwice, who))

    # -- the rest

    def unchanged(self, number: int, semaphore: Semaphore, by: Who, now: int) -> None:
        """An event was set that was set, or cleared that was clear."""
        fact = EventUnchanged(by, number, semaphore.value, now)
        self._add(fact, self._key(EventUnchanged, by, number))

    def reported(
        self,
        code: str,
        text: str,
        hint: str,
        others: Sequence[tuple[Any, str]] = (),
        warning: bool = False,
    ) -> None:
        """What an object that a core holds reports of the instruction of now."""
        who = self.acting()
        fact = Reported(who, code, text, hint, tuple(others), warning)
        self._add(fact, self._key(Reported, who, code), warning)

    def doubtful(self, text: str, rule: str) -> None:
        """A result that the hardware does not guarantee."""
        who = self.acting()
        self._add(Doubtful(who, text, rule), self._key(Doubtful, who), warning=True)
