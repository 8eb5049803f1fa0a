"""Lines that a thread's RISC-V core pushes: their words, and what the expanders make of them."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.problems import Refused
from nasm.isa.words import VALUE
from nasm.program.program import Instruction
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.front.expanding import EXPANDERS, ExpanderAction, taken
from nasm.targets.tensix.front.feeding import FrontEnd, Ingested


def word_of_line(instruction: Instruction) -> int:
    """The word of an instruction, or a word that is none as it is."""
    row, operands = instruction.row, instruction.operands
    if row.encoding is None:
        return _integer(operands[row.position[VALUE]])
    return row.encoding.encode([_integer(operands[at]) for at, _ in row.places])


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


class ThreadLines:
    """The lines of a thread of a core."""

    def __init__(self, core: Tensix, thread: int) -> None:
        self.core, self.thread = core, thread
        lines = core.lines[thread]
        assert lines is not None
        self.lines = lines

    def is_template(self, pc: int) -> bool:
        """Whether the MOP expander makes others of the line at a pc."""
        word = word_of_line(self.lines.instruction(pc))
        return EXPANDERS.get(word >> 24) is ExpanderAction.TEMPLATE

    def ingest(self, number: int, pc: int) -> Ingested:
        """Expand the line at a pc; a refusal is for the line when its turn comes."""
        core, template = self.core, self.is_template(pc)
        word = word_of_line(self.lines.instruction(pc))
        place = self.lines.queue, pc
        try:
            micros, counts = taken(core, self.thread, word, core.outer_bug, place)
        except Refused as refused:
            return Ingested(number, pc, refused, (1,), template)
        return Ingested(number, pc, micros, counts, template)


def front_of(core: Tensix, thread: int) -> FrontEnd:
    """The front end of a thread that is pushed, as it is now."""
    front = core.fronts[thread]
    front.advance(core.around.now, ThreadLines(core, thread))
    return front


def templates(core: Tensix, thread: int) -> list[int]:
    """The pcs of the lines of which the MOP expander still uses its words."""
    front = front_of(core, thread)
    return front.templates(core.around.now, ThreadLines(core, thread))


def pushed_threads(core: Tensix) -> Iterator[int]:
    """The threads whose instructions are pushed."""
    return (thread for thread, lines in enumerate(core.lines) if lines is not None)
