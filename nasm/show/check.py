"""What an examination found, for a terminal: notes in a line each, and what needs an interlock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nasm.analysis.order_question import OrderAnswer
from nasm.base.problems import Problem, clean, counted
from nasm.runs.check.records import Examination, Executable, Reliance
from nasm.show import memory_map

MOST_SAME_LINES = 5
"""Notes with one code that are shown; the others are counted."""


def notes(found: Sequence[Problem]) -> Text:
    """Notes, a line each, and how many there are more of a kind."""
    return Text("\n").join(_lines(found))


def order(answer: OrderAnswer) -> list[str]:
    """Why two lines are in order, or what is missing: a sentence, then a link a line."""
    return [answer.summary, *(f"  {step.text}" for step in answer.steps)]


def _lines(found: Sequence[Problem]) -> Iterator[Text]:
    shown: dict[str, int] = {}
    for problem in found:
        shown[problem.code] = shown.get(problem.code, 0) + 1
        if shown[problem.code] <= MOST_SAME_LINES:
            where = f" ({problem.span})" if problem.span is not None else ""
            yield _note(problem.code, f"{problem.message}{where}")
    for code, count in shown.items():
        if count > MOST_SAME_LINES:
            yield _note(code, f"{count - MOST_SAME_LINES:,} more; --json lists them")


def _note(code: str, text: str) -> Text:
    return Text.assemble((f"note[{code}]", "bold cyan"), f": {clean(text)}")


def maps(
    found: Examination, several: bool, width: int | None, ascii_only: bool
) -> list[RenderableType]:
    """The memories that a program has tensors in."""
    parts: list[RenderableType] = []
    for memory in found.memories:
        parts += [Text(), *memory_map.shown(memory, found.microseconds, several, width, ascii_only)]
    if parts and not found.whole:
        parts += [Text(), Text("only what was followed of the program counts here", "dim")]
    return parts


def relied(found: Examination) -> list[RenderableType]:
    """What would not be in order without an interlock."""
    if not found.relied:
        return [Text("no read needs an interlock: semaphores order them all")]
    count = counted(len(found.relied), "line")
    text = f"without an interlock nothing would order these reads with a write before them: {count}"
    return [Text(text, "bold"), Text(), _table(found.relied)]


def _table(found: Sequence[Reliance]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("engine", "line", "reads", "written by", "times"):
        table.add_column(name, justify="right" if name == "times" else "left")
    for one in found:
        times = f"{one.count:,} of {one.of:,}" if one.of > 1 else "1"
        table.add_row(one.queue, _at(one.reader), one.what, _at(one.writer), times)
    return table


def _at(found: Executable) -> str:
    where = f"{found.span.line}" if found.span is not None else f"pc {found.pc}"
    return f"{where} ({found.name})"
