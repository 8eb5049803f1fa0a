"""The facts that a run has found, as problems: each in a sentence, with what would help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nasm.base.problems import Note, Problem, Severity, listed
from nasm.base.source import Span
from nasm.isa.kinds import Register
from nasm.machine.findings import (
    LISTED,
    Doubtful,
    EventUnchanged,
    Fact,
    NotAccumulable,
    ReadsOwnResult,
    Reported,
    UninitialisedBytes,
    UninitialisedRead,
    UninitialisedRegister,
    WritesTwice,
)
from nasm.machine.writers import written
from nasm.program.program import Program, Wait
from nasm.sim.counters import Who

FAR = 1000
"""How many instructions back waits are looked for."""

UNKNOWN = "'check' says whether anything orders the two, and what to type if nothing does"
"""What may help where a run has not come far enough for its order to be judged."""


class Sentences:
    """Makes problems of the facts that a run of a program has found."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._said: dict[Fact, Problem] = {}

    def problem(self, fact: Fact | Problem) -> Problem:
        """A fact as a problem: the same one whenever it is asked for."""
        if isinstance(fact, Problem):
            return fact
        found = self._said.get(fact)
        if found is None:
            found = self._said[fact] = self._problem(fact)
        return found

    def _problem(self, fact: Fact) -> Problem:
        match fact:
            case UninitialisedRead():
                return self._uninitialised(fact)
            case UninitialisedBytes():
                return self._uninitialised_bytes(fact)
            case UninitialisedRegister():
                return self._register(fact)
            case NotAccumulable():
                return self._not_accumulable(fact)
            case ReadsOwnResult():
                return self._reads_own_result(fact)
            case WritesTwice():
                return self._writes_twice(fact)
            case EventUnchanged():
                return self._unchanged(fact)
            case Reported():
                return self._reported(fact)
            case Doubtful():
                return self._doubtful(fact)

    def _span(self, queue: int, pc: int) -> Span | None:
        return self.program.span(queue, pc)

    def _who(self, queue: int, pc: int) -> str:
        return self.program.instruction_name(queue, pc)

    def _at(self, now: int) -> str:
        return f"(at {now / self.program.generation.ticks:.3f} µs)"

    def _wait_hint(self, reader: Who, writer: Who) -> str:
        """How an instruction can be made to wait until another is complete."""
        program = self.program
        other = self._who(*writer)
        update = program.updates[program.queues[writer[0]].updates[writer[1]]]
        here = program.queues[reader[0]].core
        if update is None or program.generation.counter(update.semaphore)[0] != here:
            return UNKNOWN
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

    def _reads_own_result(self, fact: ReadsOwnResult) -> Problem:
        queue, pc = fact.who
        message = (
            f"{self._who(queue, pc)} reads bytes that it also writes, and its shares move "
            "concurrently: what it reads may be old or new"
        )
        hint = "let a separate transfer read what this one writes"
        return Problem("E0502", message, self._span(queue, pc), hint)

    def _writes_twice(self, fact: WritesTwice) -> Problem:
        queue, pc = fact.who
        message = (
            f"{self._who(queue, pc)} writes one place twice, and its shares move concurrently: "
            "which value remains is undefined"
        )
        hint = "make all entries distinct; oob_mode=skip leaves out what is not wanted"
        return Problem("E0502", message, self._span(queue, pc), hint)

    def late(self, flying: Iterable[Who], more: Iterable[Who] = ()) -> tuple[Problem, ...]:
        """Transfers that nothing waits for: in flight when every queue was done.

        It is an error of those into outputs, which are ``more``, in flight or landed by luck.
        """
        found: dict[object, Problem] = {}
        more = list(more)
        outputs = {self.program.line(*who) for who in more}
        for origins, text in (
            (flying, "was still in flight when every queue was done"),
            (more, "had landed when every queue was done, and nothing waits for that"),
        ):
            for queue, pc in origins:
                program = self.program
                update = program.updates[program.queues[queue].updates[pc]]
                name = f"${program.semaphore_name(update.semaphore)}" if update is not None else ""
                hint = "write '.drain' after it: the host reads when every queue is done"
                if not program.instruction(queue, pc).row.posts:
                    hint = "nothing answers it: send what is acknowledged, and '.drain' after it"
                if program.instruction(queue, pc).row.sends:
                    hint = "send what is answered, and poll what counts that before the code ends"
                if name:
                    hint = f"it updates {name}: wait for all of them at the end, with '.drain'"
                output = self.program.line(queue, pc) in outputs
                found.setdefault(
                    program.line(queue, pc),
                    Problem(
                        "E0514",
                        f"{self._who(queue, pc)} {text}",
                        self._span(queue, pc),
                        hint,
                        severity=Severity.ERROR if output else Severity.WARNING,
                    ),
                )
        return tuple(found.values())

    def _uninitialised(self, fact: UninitialisedRead) -> Problem:
        (queue, pc), name, missing, adding = fact.who, fact.tensor, fact.missing, fact.adding
        some = f"{missing:,} of {fact.size:,} elements of which are uninitialised"
        whole = "which is uninitialised"
        verb = "adds to" if adding else "reads"
        message = f"{self._who(queue, pc)} {verb} {name}, {whole if missing == fact.size else some}"
        fillers = fact.writers
        others = [f for f in fillers if f[0] != queue]
        notes = tuple(Note(self._writes(f, name), self._span(*f)) for f in fillers[:LISTED])
        notes += tuple(
            Note(f"{self._who(*f)} writes other elements", self._span(*f)) for f in fact.elsewhere
        )
        hint = f"nothing in the program writes {'these elements of ' if notes else ''}{name}"
        hint += f": initialise {'them' if notes else 'it'} first"
        if adding:
            hint = "the first of several that add to a tensor has to overwrite it"
        elif others:
            hint = self._wait_hint((queue, pc), others[0])
        elif fillers:
            hint = "write all of it before this; what a transfer writes is there once it has landed"
        facts = {"tensor": name, "elements": missing}
        return Problem("E0501", message, self._span(queue, pc), hint, notes, facts=facts)

    def _writes(self, who: Who, name: str) -> str:
        """Whom a note points at: who writes a tensor, or another one on the same bytes."""
        names = [view.tensor.name for view in written(self.program.instruction(*who))]
        if name in names:
            return f"{self._who(*who)} writes it"
        return f"{self._who(*who)} writes {listed(names, 'and')}, on the same bytes"

    def _uninitialised_bytes(self, fact: UninitialisedBytes) -> Problem:
        (queue, pc), memory, address = fact.who, fact.memory, fact.address
        count, missing = fact.count, fact.missing
        some = "which are" if missing == count else f"{missing:,} of which are"
        text = f"{self._who(queue, pc)} reads {count:,} bytes of {memory} at {address:#x}, "
        hint = "write them first, or declare a tensor with values there"
        return Problem("E0501", f"{text}{some} uninitialised", self._span(queue, pc), hint)

    def _not_accumulable(self, fact: NotAccumulable) -> Problem:
        (queue, pc), name, program = fact.who, fact.tensor, self.program
        row = program.instruction(queue, pc).row
        flag = next(o.adds for o in row.writes if o.adds)
        message = (
            f"{self._who(queue, pc)} adds to {name}, which another kind of instruction wrote last: "
            f"on {program.generation.summary} such a sum is undefined"
        )
        notes = tuple(Note(self._writes(f, name), self._span(*f)) for f in fact.writers)
        hint = f"let the first {row.name} overwrite it ({flag}=false), and add the rest afterwards"
        return Problem("E0509", message, self._span(queue, pc), hint, notes)

    def _register(self, fact: UninitialisedRegister) -> Problem:
        queue, pc = fact.who
        message = (
            f"{self._who(queue, pc)} reads %r{fact.number}, which is uninitialised: it reads as 0"
        )
        hint = f"each engine has its own registers{self._setters()}"
        return Problem("E0505", message, self._span(queue, pc), hint)

    def _unchanged(self, fact: EventUnchanged) -> Problem:
        name, value = f"${self.program.semaphore_name(fact.number)}", fact.value
        does, was = ("sets", "set") if value else ("clears", "clear")
        message = (
            f"{self._who(*fact.who)} {does} {name}, which is already {was} {self._at(fact.now)}"
        )
        hint = "an event is one bit: clear it after the wait for it, before it is set again"
        if not value:
            hint = "an event is one bit, clear at the start: set it before clearing it"
        facts = {"event": name.removeprefix("$")}
        return Problem("E0513", message, self._span(*fact.who), hint, facts=facts)

    def _reported(self, fact: Reported) -> Problem:
        message, span = f"{self._who(*fact.who)}: {fact.message}", self._span(*fact.who)
        notes = tuple(
            Note(f"{self._who(*who)} {does}", self._span(*who)) for who, does in fact.others
        )
        severity = Severity.WARNING if fact.warning else Severity.ERROR
        return Problem(fact.code, message, span, fact.hint, notes, severity=severity)

    def _doubtful(self, fact: Doubtful) -> Problem:
        message, hint = f"{self._who(*fact.who)} {fact.message}", f"rule: {fact.rule}"
        span = self._span(*fact.who)
        return Problem("E0515", message, span, hint, severity=Severity.WARNING)

    def _setters(self) -> str:
        rows = self.program.target.isa
        names = [r.name for r in rows if any(isinstance(o.kind, Register) for o in r.writes)]
        return f"; {listed(names)} sets one" if names else ""
