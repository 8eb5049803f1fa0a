"""Hazards of a run: legal text, wrong program. Each place is reported once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from nasm.base.problems import Note, Problem, Severity, listed
from nasm.base.source import Span
from nasm.isa.kinds import Register
from nasm.machine.numbers import Numbers
from nasm.machine.writers import Writers, part, written
from nasm.program.program import Program, Wait
from nasm.sim.counters import Semaphore, Who
from nasm.sim.events import Observer
from nasm.sim.memory import Mask
from nasm.views.regions import Region
from nasm.views.view import View

FAR = 1000
"""How many instructions back waits are looked for."""

LISTED = 3
"""How many writers of a tensor a hazard names."""


class Hazards(Observer):
    """Collects the hazards of a run, once per kind and line of the text.

    ``acting`` says which instruction, as (queue, pc), starts, completes or moves bytes now,
    ``region`` which bytes a view touches.
    """

    def __init__(
        self, program: Program, acting: Callable[[], Who], region: Callable[[View], Region]
    ) -> None:
        self.program, self.acting, self.region = program, acting, region
        self.writers = Writers(program, region)
        self.numbers = Numbers(program, acting)
        self.found: list[Problem] = []
        self.warnings: list[Problem] = []
        self._seen: set[tuple[object, ...]] = set()

    def save(self) -> Any:
        """What was found until now."""
        numbers = self.numbers.save()
        return tuple(self.found), tuple(self.warnings), frozenset(self._seen), numbers

    def restore(self, saved: Any) -> None:
        """Forget what was found since."""
        self.found[:], self.warnings[:] = saved[0], saved[1]
        self._seen = set(saved[2])
        self.numbers.restore(saved[3])

    def add(self, problem: Problem) -> None:
        """Something that was found about the run as a whole."""
        self._add((problem.code, problem.message), problem)

    def name(self, queue: int, pc: int) -> str:
        """What sentences call an instruction."""
        return self._who(queue, pc)

    def _add(self, key: tuple[object, ...], problem: Problem) -> None:
        if key not in self._seen:
            self._seen.add(key)
            (self.found if problem.severity is Severity.ERROR else self.warnings).append(problem)

    def _span(self, queue: int, pc: int) -> Span | None:
        return self.program.span(queue, pc)

    def _line(self, queue: int, pc: int) -> Who:
        """The line of the text that an instruction came from: all rounds of a loop have one."""
        return queue, self.program.queues[queue].spans[pc] or -1 - pc

    def _who(self, queue: int, pc: int) -> str:
        program = self.program
        return f"{program.queue_name(queue)} pc {pc} ({program.instruction(queue, pc).row.name})"

    def _at(self, now: int) -> str:
        return f"(at {now / self.program.generation.ticks:.3f} µs)"

    def _wait_hint(self, reader: Who, writer: Who) -> str:
        """How an instruction can be made to wait until another is complete."""
        program = self.program
        other = self._who(*writer)
        update = program.updates[program.queues[writer[0]].updates[writer[1]]]
        here = program.queues[reader[0]].core
        far = update is None or program.generation.counter(update.semaphore)[0] != here
        if far and program.queues[writer[0]].core != here:
            return (
                f"let {other} update a semaphore of core {here} and wait for it here, or place a "
                "rendezvous of both cores in between"
            )
        if update is None:
            return f"let {other} update a semaphore, and wait for it here"
        name = f"${program.semaphore_name(update.semaphore)}"
        if any(wait.semaphore == update.semaphore for wait in self._waits_before(*reader)):
            return (
                f"{other} updates {name}, but so do others, and their updates satisfied the wait: "
                "wait for all of them, or give each a semaphore of its own"
            )
        return f"{other} updates {name}: wait for it here"

    def _waits_before(self, queue: int, pc: int) -> Iterator[Wait]:
        """The waits of a queue's last instructions, backwards from one of them."""
        lines = self.program.queues[queue]
        for at in range(pc, max(-1, pc - FAR), -1):
            wait = self.program.waits[lines.waits[at]]
            if wait is not None:
                yield wait

    def tangled(self, who: Who) -> None:
        """A transfer reads what it writes, and its shares have no order."""
        queue, pc = who
        said = (
            f"{self._who(queue, pc)} reads bytes that it also writes, and its shares move "
            "concurrently: what it reads may be old or new"
        )
        key = ("tangled", self._line(queue, pc))
        hint = "let a separate transfer read what this one writes"
        self._add(key, Problem("E0502", said, self._span(queue, pc), hint))

    def crowded(self, who: Who) -> None:
        """A transfer writes one place twice, and its shares have no order."""
        queue, pc = who
        said = (
            f"{self._who(queue, pc)} writes one place twice, and its shares move concurrently: "
            "which value remains is undefined"
        )
        hint = "make all entries distinct; oob_mode=skip leaves out what is not wanted"
        key = ("crowded", self._line(queue, pc))
        self._add(key, Problem("E0502", said, self._span(queue, pc), hint))

    def late(self, flying: Iterable[Who], more: Iterable[Who] = ()) -> tuple[Problem, ...]:
        """Transfers that nothing waits for: in flight when every queue was done.

        It is an error of those into outputs, which are ``more``, in flight or landed by luck.
        """
        found: dict[object, Problem] = {}
        more = list(more)
        outputs = {self._line(*who) for who in more}
        for origins, said in (
            (flying, "was still in flight when every queue was done"),
            (more, "had landed when every queue was done, and nothing waits for that"),
        ):
            for queue, pc in origins:
                program = self.program
                update = program.updates[program.queues[queue].updates[pc]]
                name = f"${program.semaphore_name(update.semaphore)}" if update is not None else ""
                hint = "write '.drain' behind it: the host reads when every queue is done"
                if name:
                    hint = f"it updates {name}: wait for all of them at the end, with '.drain'"
                output = self._line(queue, pc) in outputs
                found.setdefault(
                    self._line(queue, pc),
                    Problem(
                        "E0514",
                        f"{self._who(queue, pc)} {said}",
                        self._span(queue, pc),
                        hint,
                        severity=Severity.ERROR if output else Severity.WARNING,
                    ),
                )
        return tuple(found.values())

    def uninitialised(
        self,
        view: View,
        missing: int | Callable[[], Mask],
        adding: bool = False,
        who: Who | None = None,
    ) -> None:
        """A read of uninitialised bytes: of so many elements, or of those it may be asked for."""
        queue, pc = who or self.acting()
        name = view.tensor.name
        key = ("uninitialised", self._line(queue, pc), name)
        if key in self._seen:
            return
        places: Sequence[Region] = (self.region(View.whole(view.tensor)),)
        if not isinstance(missing, int):
            chosen = missing()
            missing = int(np.count_nonzero(chosen))
            places = part(self.region(view), chosen, view)
        some = f"{missing:,} of {view.size:,} elements of which are uninitialised"
        whole = "which is uninitialised"
        verb = "adds to" if adding else "reads"
        said = f"{self._who(queue, pc)} {verb} {name}, {whole if missing == view.size else some}"
        fillers = self._filling(places, (queue, pc))
        others = [f for f in fillers if f[0] != queue]
        notes = tuple(Note(self._writes(f, name), self._span(*f)) for f in fillers[:LISTED])
        if not fillers:
            notes = self._elsewhere(view, (queue, pc))
        hint = f"nothing in the program writes {'these elements of ' if notes else ''}{name}"
        hint += f": initialise {'them' if notes else 'it'} first"
        if adding:
            hint = "the first of several that add to a tensor has to overwrite it"
        elif others:
            hint = self._wait_hint((queue, pc), others[0])
        elif fillers:
            hint = "write all of it before this; what a transfer writes is there once it has landed"
        facts = {"tensor": name, "elements": missing}
        self._add(key, Problem("E0501", said, self._span(queue, pc), hint, notes, facts=facts))

    def _filling(self, places: Sequence[Region], but: Who) -> list[Who]:
        """The first few instructions that write any of some bytes, without one."""
        found = (who for who in self.writers.of(places) if who != but)
        return list(islice(found, LISTED + 1))

    def _writes(self, who: Who, name: str) -> str:
        """Whom a note points at: who writes a tensor, or another one on the same bytes."""
        names = [view.tensor.name for view in written(self.program.instruction(*who))]
        if name in names:
            return f"{self._who(*who)} writes it"
        return f"{self._who(*who)} writes {listed(names, 'and')}, on the same bytes"

    def _elsewhere(self, view: View, but: Who) -> tuple[Note, ...]:
        """Who writes a tensor, where nobody writes the bytes that are missing."""
        whole = self._filling((self.region(View.whole(view.tensor)),), but)[:LISTED]
        return tuple(Note(f"{self._who(*f)} writes other elements", self._span(*f)) for f in whole)

    def uninitialised_bytes(self, memory: str, address: int, count: int, missing: int) -> None:
        """A read by address of bytes of which so many are uninitialised."""
        queue, pc = self.acting()
        some = "which are" if missing == count else f"{missing:,} of which are"
        said = f"{self._who(queue, pc)} reads {count:,} bytes of {memory} at {address:#x}, "
        hint = "write them first, or declare a tensor with values there"
        key = ("bytes", self._line(queue, pc), memory)
        span = self._span(queue, pc)
        self._add(key, Problem("E0501", f"{said}{some} uninitialised", span, hint))

    def not_accumulable(self, view: View) -> None:
        """An instruction adds to what another kind of instruction wrote last."""
        queue, pc = self.acting()
        name, program = view.tensor.name, self.program
        key = ("not accumulable", self._line(queue, pc), name)
        if key in self._seen:
            return
        row = program.instruction(queue, pc).row
        flag = next(o.adds for o in row.writes if o.adds)
        place = self.region(view if view.offsets is None else View.whole(view.tensor))
        others = (f for f in self.writers.of((place,)) if program.instruction(*f).row is not row)
        said = (
            f"{self._who(queue, pc)} adds to {name}, which another kind of instruction wrote last: "
            f"on {program.generation.summary} such a sum is undefined"
        )
        notes = tuple(Note(self._writes(f, name), self._span(*f)) for f in islice(others, LISTED))
        hint = f"let the first {row.name} overwrite it ({flag}=false), and add the rest afterwards"
        self._add(key, Problem("E0509", said, self._span(queue, pc), hint, notes))

    def register(self, number: int) -> None:
        """A read of an uninitialised register."""
        queue, pc = self.acting()
        said = f"{self._who(queue, pc)} reads %r{number}, which is uninitialised: it reads as 0"
        hint = f"each engine has its own registers{self._setters()}"
        key = ("register", self._line(queue, pc), number)
        self._add(key, Problem("E0505", said, self._span(queue, pc), hint))

    def unchanged(self, number: int, semaphore: Semaphore, by: Who, now: int) -> None:
        """An event was set that was set, or cleared that was clear."""
        program = self.program
        name = f"${program.semaphore_name(number)}"
        value = semaphore.value
        does, was = ("sets", "set") if value else ("clears", "clear")
        said = f"{self._who(*by)} {does} {name}, which is already {was} {self._at(now)}"
        hint = "an event is one bit: whoever waits for it has to clear it before it is set again"
        if not value:
            hint = "an event is one bit, clear at the start: set it before clearing it"
        found = Problem(
            "E0513", said, self._span(*by), hint, facts={"event": name.removeprefix("$")}
        )
        self._add(("twice", self._line(*by), number), found)

    def reported(
        self,
        code: str,
        said: str,
        hint: str,
        others: Sequence[tuple[Any, str]] = (),
        warning: bool = False,
    ) -> None:
        """What an object that a core holds tells of the instruction of now."""
        queue, pc = self.acting()
        key = ("reported", code, self._line(queue, pc))
        if key in self._seen:
            return
        notes = tuple(Note(f"{self._who(*who)} {does}", self._span(*who)) for who, does in others)
        severity = Severity.WARNING if warning else Severity.ERROR
        said = f"{self._who(queue, pc)}: {said}"
        self._add(key, Problem(code, said, self._span(queue, pc), hint, notes, severity=severity))

    def doubtful(self, said: str, rule: str) -> None:
        """A result that the hardware does not guarantee: harmless where nothing uses it."""
        queue, pc = self.acting()
        said = f"{self._who(queue, pc)} {said}"
        found = Problem(
            "E0515", said, self._span(queue, pc), f"rule: {rule}", severity=Severity.WARNING
        )
        self._add(("doubtful", self._line(queue, pc)), found)

    def _setters(self) -> str:
        rows = self.program.target.isa
        names = [r.name for r in rows if any(isinstance(o.kind, Register) for o in r.writes)]
        return f"; {listed(names)} sets one" if names else ""
