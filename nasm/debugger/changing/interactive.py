"""Lines typed at a running program: assembled with its names, and executed as what comes next."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from nasm.analysis import summary
from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass
from nasm.debugger.changing.changes import WRONG, Type
from nasm.debugger.moving.delta import MemoryChange
from nasm.isa.evidence import Cost
from nasm.language.resume import Added, Continuation
from nasm.machine import growth, tensor_io
from nasm.machine.records import Executed
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.sim.memory import Array
from nasm.sim.trace import InstructionRecord
from nasm.views.view import View


@dataclass(frozen=True, slots=True, repr=False)
class Typed:
    """What a typed text has done: declared names, executed instructions and their effects.

    ``executed`` are those that have completed, each with its cost, in the order in which they did;
    ``pending`` counts those that have not. ``others`` are the instructions of other lines that
    completed meanwhile. ``memory`` is what all of them have changed.
    """

    text: str
    declared: tuple[tuple[str, str], ...] = ()
    executed: tuple[tuple[Executed, Cost], ...] = ()
    pending: int = 0
    others: tuple[Executed, ...] = ()
    memory: tuple[MemoryChange, ...] = ()

    def __repr__(self) -> str:
        text = [f"{what} {name}" for name, what in self.declared]
        text += [f"{one.text} in {one.finish - one.start} ticks" for one, _ in self.executed]
        text += [f"{self.pending} pending"] if self.pending else []
        return f"<typed: {', '.join(text) or 'nothing'}>"


class Typing:
    """Takes what is typed at a session.

    ``declared`` are the names that the last text has declared, each with what it is. ``taken`` are
    all texts, each once, whether the run has gone back to before them or not.
    """

    def __init__(self, running: Execution) -> None:
        self.running = running
        self.declared: tuple[tuple[str, str], ...] = ()
        self.taken: list[Type] = []
        self._again: dict[tuple[object, ...], Type] = {}
        self._lines = Continuation(running.program)

    @property
    def macros(self) -> Collection[str]:
        """The macros that a text may call."""
        return self._lines.macros.known.keys()

    @property
    def program(self) -> Program:
        """The program with all that was added."""
        return self.running.program

    def take(self, text: str, by_hand: Iterable[object] = (), declarations: bool = False) -> Type:
        """Assemble a text, make room for it on the machine, and return the changes to make.

        ``by_hand`` is what was changed before, up to now: moments of it may be named.

        Raises Failure with every problem of it; then it was not taken. With ``declarations`` it may
        hold nothing else.
        """
        values: list[tuple[View, Array]] = []

        def accept(added: Added) -> None:
            if declarations and added.pcs:
                queue, pcs = added.pcs[0]
                span = self.program.span(queue, pcs[0])
                message = "an instruction, where only declarations are wanted"
                raise Failure(Problem("E0822", message, span, "execute it"))
            self._free(added.names)
            growth.accept(self.running.machine, added.tensors)
            values.extend(self._initial(added))

        text, lines = str(text), self._lines
        key = (text.strip(), lines.engine, lines.core, declarations)
        if key in self._again:  # the same instructions again, as in another round of a loop
            self.declared = ()
            return self._again[key]
        core = lines.core
        self.running.hold_hints()
        typed = (change for change in by_hand if isinstance(change, Type))
        posted = {m: not left(self.running, t) for t in typed for m in t.posts}
        added = lines.add(text, accept, posted)
        growth.take_up(self.running.machine, added.tensors, added.instructions)
        self.declared = added.names
        whole = self.program.cores == 1 or text.lstrip().startswith(".core")
        of_core = "" if whole else f".core {core}\n"
        message, declared = of_core + added.text.strip(), added.declarations
        made = Type(message, declared and of_core + declared, tuple(values), added.pcs, added.posts)
        self.taken.append(made)
        if added.pcs and not (added.names or added.expectations or added.moments):
            self._again[key] = made
        return made

    def _free(self, names: Iterable[tuple[str, str]]) -> None:
        """Refuse names that the user gave to expressions."""
        for name, what in names:
            if (bare := name.removeprefix("$")) in self.running.named:
                message = (
                    f"{what} '{name}': {bare} is already a name for {self.running.named[bare]}"
                )
                raise Failure(Problem(WRONG, message, None, f"unlet {bare}, or another name"))

    def _initial(self, added: Added) -> Iterator[tuple[View, Array]]:
        """What the initialisers of new tensors give."""
        if not self.running.values:
            return
        for tensor in added.tensors:
            found = tensor_io.first_values(tensor, self.running.files)
            if found is not None:
                yield View.whole(tensor), found


def program_text(running: Execution, typing: Typing, changes: Sequence[object]) -> str:
    """The text of a program followed by the typed lines: it assembles to one that does it all.

    Other changes by hand are included as comments. Of texts that were gone back over
    there are the declarations, which still hold.
    """
    if running.source is None:
        message = "the session was not made from a text, so that there is none to add to"
        raise Refused(WRONG, message, "make it with Session(text)")
    parts, left = [running.source.text.rstrip("\n")], list(typing.taken)
    for change in changes:
        if not isinstance(change, Type):
            parts.append(f"; by hand: {' '.join(str(change).split())}")
            continue
        while left and change in left:
            first = left.pop(0)
            if first is not change and first not in changes and first.declarations:
                parts.append(first.declarations)
            if first is change:
                break
        parts.append(change.text)
    return "\n".join(parts) + "\n"


def complete(running: Execution, change: Type) -> None:
    """Run until the instructions of a change have completed, or nothing can happen."""
    queues = running.machine.scheduler.queues
    running.complete([(queues[index], pcs) for index, pcs in change.pcs])


def typed_result(
    running: Execution,
    typing: Typing,
    change: Type,
    done: Sequence[InstructionRecord],
    memory: tuple[MemoryChange, ...],
) -> Typed:
    """The result of a change and the run after it."""
    machine, mine = running.machine, dict(change.pcs)
    executed, others = [], []
    for record in done:
        one = summary.executed(machine, record)
        if one.pc in mine.get(record[1], ()):
            number = running.program.queues[record[1]].instructions[one.pc]
            executed.append((one, machine.cost(record[1], number)))
        else:
            others.append(one)
    return Typed(
        change.text, typing.declared, tuple(executed), left(running, change), tuple(others), memory
    )


def left(running: Execution, change: Type) -> int:
    """How many instructions of a change have not completed."""
    count = 0
    for index, pcs in change.pcs:
        queue = running.machine.scheduler.queues[index]
        count += sum(pc in pcs for pc in (*(f.pc for f in queue.flight), *queue.ahead()))
    return count
