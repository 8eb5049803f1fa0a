"""Lines that a thread's RISC-V core pushes: their words, and what the expanders make of them."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.isa.words import VALUE
from nasm.program.program import Instruction
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.front.expanding import EXPANDERS, ExpanderAction, taken
from nasm.targets.tensix.front.feeding import FrontEnd, Ingested
from nasm.targets.tensix.unit_queries import thread_name


def word_of_line(instruction: Instruction) -> int:
    """The word of an instruction, or a word that is none as it is."""
    row, operands = instruction.row, instruction.operands
    if row.encoding is None:
        return _integer(operands[row.position[VALUE]])
    return row.encoding.encode([_integer(operands[at]) for at, _ in row.places])


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


class PushedWord(int):
    """The word that RISC-V code has pushed, and the place of the instruction that did.

    It has the place of a line where the front end of a thread has lines.
    """

    place: tuple[int, int]

    def __new__(cls, word: int, place: tuple[int, int]) -> PushedWord:
        """A word that the instruction at a place has pushed."""
        made = super().__new__(cls, word)
        made.place = place
        return made

    def __reduce__(self) -> tuple[type[PushedWord], tuple[int, tuple[int, int]]]:
        return PushedWord, (int(self), self.place)


class ThreadLines:
    """The lines of a thread of a core, or the words that RISC-V code has pushed to it."""

    def __init__(self, core: Tensix, thread: int) -> None:
        self.core, self.thread = core, thread
        lines = core.lines[thread]
        assert lines is not None
        self.lines = lines

    def is_template(self, pc: int) -> bool:
        """Whether the MOP expander makes others of the line at a pc."""
        return EXPANDERS.get(self._word(pc) >> 24) is ExpanderAction.TEMPLATE

    def _word(self, pc: int) -> int:
        return int(pc) if type(pc) is PushedWord else word_of_line(self.lines.instruction(pc))

    def place(self, pc: int) -> tuple[int, int]:
        """The place of the line at a pc, or of what has pushed it."""
        return pc.place if type(pc) is PushedWord else (self.lines.queue, pc)

    def ingest(self, number: int, pc: int) -> Ingested:
        """Expand the line at a pc; a refusal is for the line when its turn comes."""
        core, template = self.core, self.is_template(pc)
        word, place = self._word(pc), self.place(pc)
        try:
            micros, counts = taken(core, self.thread, word, core.outer_bug, place)
        except Refused as refused:
            return Ingested(number, pc, refused, (1,), template)
        return Ingested(number, pc, micros, counts, template)


def front_of(core: Tensix, thread: int) -> FrontEnd:
    """The front end of a thread that is pushed, as it is now."""
    front = core.fronts[thread]
    if front.busy:
        front.advance(core.around.now, ThreadLines(core, thread))
    return front


def templates(core: Tensix, thread: int) -> list[int]:
    """The pcs of the lines of which the MOP expander still uses its words."""
    front = front_of(core, thread)
    return front.templates(core.around.now, ThreadLines(core, thread))


def pushed_threads(core: Tensix) -> Iterator[int]:
    """The threads whose instructions are pushed."""
    return (thread for thread, lines in enumerate(core.lines) if lines is not None)


def full(core: Tensix, thread: int) -> Blocked | None:
    """What a word waits for that the core of a thread pushes; None if there is room."""
    front, facts = front_of(core, thread), core.chip.cores
    depth = facts.depths[thread]
    if front.waiting(facts.not_passed) < depth:
        return None
    name = thread_name(thread)
    reason = f"the FIFO in front of the expanders of {name} holds {depth} of {depth}"
    until = front.next_step(core.around.now)
    return Blocked("fifo", reason, until, by=(thread,), on=(f"front {thread}",))
