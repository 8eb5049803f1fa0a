"""The example of a row as a picture: its tiles as boxes, with their first values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod

from numpy import ndindex

from generator.examples import SIZES, program_text
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.instruction import Row
from nasm.isa.list_kinds import views
from nasm.isa.target import Target
from nasm.language.assemble import assemble
from nasm.show.arrays import elements
from nasm.targets import TARGETS
from nasm.views.spelling import spelled
from nasm.views.view import View

WIDTH = 96
"""Columns of a picture; boxes that do not fit into them stand below."""

GAP = "   "
SHOWN = 2
"""Rows and columns whose values are shown."""

LONG = 32
"""Of so many rows on, a box has a line more."""


def picture(row: Row, target: Target) -> str:
    """The tiles that the example reads and writes, before and after; empty if it has none."""
    generation, engine = next((g, e) for g in target.generations for e in target.engines(row, g))
    text = program_text(row, engine, generation, SIZES[0], target)
    after = _ended(text)
    before = _ended(text.rstrip().rpartition("\n")[0] + "\n")
    if after is None or before is None:
        return ""
    made = next(f for f in reversed(after.program.instructions) if f.row is row)
    drawn = []
    for operand, value in zip(row.operands, made.operands, strict=True):
        written = "w" in operand.access or (operand.access == "@" and operand.name == "dst")
        found = list(views(value))
        for number, view in enumerate(found):
            name = operand.name if len(found) == 1 else f"{operand.name}[{number}]"
            name += ", written" * written
            drawn.append(_box(name, view, after if written else before))
    return "\n".join(_lines(drawn))


def _ended(text: str) -> Session | None:
    """A program at its end; None if it is refused or fails."""
    try:
        session = Session(assemble(Source("example.nasm", text), TARGETS))
        session.goto("end")
    except (Failure, Refused):
        return None
    return session


def _box(name: str, view: View, session: Session) -> list[str]:
    """A tile as lines of one length: what it is, and a box with its first values."""
    shape = tuple(view.shape)
    value = session.evaluate(spelled(view))
    leading, last = shape[:-1], shape[-1] if shape else 1
    down = prod(leading)
    inside = []
    for row in islice(ndindex(*leading), SHOWN):
        shown = elements(value, row, 0, min(SHOWN, last))
        inside.append("  ".join(shown) + ("  …" if last > len(shown) else ""))
    inside += ["…"] * (down > len(inside)) + [""] * (down >= LONG)
    width = max(map(len, inside))
    lines = [name, f"{view.dtype.name}[{', '.join(map(str, shape))}]", f"┌─{'─' * width}─┐"]
    lines += [f"│ {line.ljust(width)} │" for line in inside]
    lines.append(f"└─{'─' * width}─┘")
    room = max(map(len, lines))
    return [line.ljust(room) for line in lines]


def _lines(boxes: Sequence[list[str]]) -> Iterator[str]:
    """Boxes beside each other, as far as there is room, and then below."""
    beside: list[list[str]] = []
    for box in boxes:
        if beside and sum(len(one[0]) + len(GAP) for one in (*beside, box)) > WIDTH:
            yield from (*_beside(beside), "")
            beside = []
        beside.append(box)
    yield from _beside(beside)


def _beside(boxes: Sequence[list[str]]) -> Iterator[str]:
    height = max(map(len, boxes), default=0)
    full = [box + [" " * len(box[0])] * (height - len(box)) for box in boxes]
    return (GAP.join(line).rstrip() for line in zip(*full, strict=True))
