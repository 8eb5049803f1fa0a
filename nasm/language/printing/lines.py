"""The instructions of a program as lines: queue by queue, or in an order that is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from nasm.base.problems import Refused
from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.isa.list_kinds import views
from nasm.language.printing.comments import AllowComments, Remark, comment
from nasm.language.printing.files import UNPRINTABLE
from nasm.language.printing.layout import CORE, table
from nasm.language.printing.views import view_text
from nasm.program import instruction_text
from nasm.program.program import Instruction, Program, Update, Wait

Place = tuple[int, int]
"""A queue by its number, and a pc of it."""

INDENT = "    "


@dataclass(slots=True)
class Lines:
    """Makes the lines of a program whose semaphores and events have these names."""

    program: Program
    names: Mapping[int, str]
    remark: Remark
    allowed: AllowComments
    _operands: dict[tuple[int, str], str] = field(default_factory=dict)

    def by_queue(self) -> Iterator[str]:
        """A block for each queue that has something, after its ``@engine``.

        Queues that push others come first: what they push is all in their lines.
        """
        generation, queues = self.program.generation, list(enumerate(self.program.queues))
        for number, queue in sorted(
            queues, key=lambda q: not generation.engine(q[1].engine).optional
        ):
            if len(queue) or queue.labels:
                yield from ("", f"{CORE}{queue.core}", f"@{queue.engine}")
                yield from self._block([(number, pc) for pc in range(len(queue))])
                yield from (f"{name}:" for name in self._ends(number))

    def in_order(self, order: Iterable[Place]) -> Iterator[str]:
        """Every line with its ``@engine``, in an order that keeps that of each queue."""
        places = list(order)
        self._check(places)
        yield ""
        yield from self._block(places, engines=True)
        for number, queue in enumerate(self.program.queues):
            for name in self._ends(number):
                yield from (f"{CORE}{queue.core}", f"{name}: @{queue.engine}")

    def _ends(self, number: int) -> list[str]:
        """Labels after the last instruction of a queue."""
        queue = self.program.queues[number]
        return [name for name, pc in queue.labels.items() if pc >= len(queue)]

    def _check(self, places: list[Place]) -> None:
        """Whether each instruction is there, in the order of its queue; raises Refused."""
        queues = self.program.queues
        reached = [0] * len(queues)
        for queue, pc in places:
            if not 0 <= queue < len(queues) or pc != reached[queue] or pc >= len(queues[queue]):
                text = f"the order names pc {pc} of queue {queue}"
                wanted = f"; wanted {reached[queue]}" if 0 <= queue < len(queues) else ""
                raise Refused(UNPRINTABLE, text + wanted)
            reached[queue] += 1
        for number, queue_program in enumerate(queues):
            if reached[number] < len(queue_program):
                missing = len(queue_program) - reached[number]
                where = self.program.queue_name(number)
                raise Refused(UNPRINTABLE, f"the order lacks {missing} instructions of @{where}")

    def _block(self, places: list[Place], engines: bool = False) -> Iterator[str]:
        rows = [self._row(place, engines) for place in places]
        indent = "" if engines else INDENT
        text = ""
        labels = self._labels()
        for place, line in zip(places, table(rows, indent), strict=True):
            queue = self.program.queues[place[0]]
            if engines:
                yield f"{CORE}{queue.core}"
            at = f" @{queue.engine}" if engines else ""
            yield from (f"{name}:{at}" for name in labels.get(place, ()))
            span = self._span(place)
            yield from (indent + note for note in self.allowed.above(self.program.span(*place)))
            remark = self.remark(span) if span is not None else ""
            if remark and remark != text:
                yield indent + comment(remark)
            text = remark
            yield line

    def _labels(self) -> dict[Place, list[str]]:
        found: dict[Place, list[str]] = {}
        for number, queue in enumerate(self.program.queues):
            for name, pc in queue.labels.items():
                found.setdefault((number, pc), []).append(name)
        return found

    def _span(self, place: Place) -> Span | None:
        queue, pc = place
        return self.program.spans[self.program.queues[queue].spans[pc]]

    def _row(self, place: Place, engines: bool) -> tuple[str, ...]:
        number, pc = place
        program, queue = self.program, self.program.queues[number]
        at = queue.instructions[pc]
        typed = instruction_text.typed(program.instructions[at], program.span(number, pc))
        operands = self._operands.get((at, typed))
        if operands is None:
            operands = self._operands[at, typed] = _operands(program.instructions[at], typed)
        cells = (
            program.instructions[at].row.name,
            operands,
            wait_text(program.waits[queue.waits[pc]], self.names),
            update_text(program.updates[queue.updates[pc]], self.names),
            self.allowed.trailing(self._span(place)),
        )
        return (f"@{queue.engine}", *cells) if engines else cells


def wait_text(wait: Wait | None, names: Mapping[int, str]) -> str:
    """``$s >= n``; ``names`` are those of semaphores and events."""
    return "" if wait is None else f"${names[wait.semaphore]} {wait.op} {wait.value}"


def update_text(update: Update | None, names: Mapping[int, str]) -> str:
    """``$s++``, ``$s += 16``, ``$e = 1``."""
    if update is None:
        return ""
    changed = f"${names[update.semaphore]}{_change(update)}"
    return f"{changed} @read" if update.at_read else changed


def _change(update: Update) -> str:
    """``++``, `` += 16``, `` = 1``."""
    value = update.value
    if update.op == "=":
        return f" = {value}"
    if value in (1, -1):
        return "++" if value == 1 else "--"
    if value < 0 and -value < 1 << 31:  # the largest that a text may write
        return f" -= {-value}"
    return f" += {value}"


def _operands(instruction: Instruction, typed: str) -> str:
    """Operands as text; raises Refused if a view of them has none."""
    for value in instruction.operands:
        for view in views(value):
            view_text(view)
    return instruction_text.operands(instruction, typed)
