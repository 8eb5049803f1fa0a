"""``$s++`` of a transfer: each DMA engine adds 1, so that together they add as many as there are.

That is clear while all that counts with the semaphore are transfers. A line that adds 1 to it as
well, or that waits for part of a transfer, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.problems import Note, Problem
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Update, Wait

UNCLEAR = "E0314"


def unclear(builder: ProgramBuilder) -> list[Problem]:
    """The lines that make it unclear what ``$s++`` of a transfer adds."""
    return list(_found(builder)) if builder.stepped else []


def _found(builder: ProgramBuilder) -> Iterator[Problem]:
    program, stepped = builder.program, builder.stepped
    for lines in program.queues:
        columns = zip(lines.instructions, lines.waits, lines.updates, lines.spans, strict=True)
        for instruction, wait, update, span in columns:
            row = program.instructions[instruction].row
            for event in (program.waits[wait], program.updates[update]):
                if event is None or event.semaphore not in stepped or row.posts:
                    continue
                count, place = stepped[event.semaphore]
                if isinstance(event, Update) and event.op == "=":
                    continue
                if event.value % count:
                    said, hint = _said(event, program.semaphore_name(event.semaphore), count)
                    note = Note(f"'++' of a transfer adds {count}", place)
                    yield Problem(UNCLEAR, said, program.spans[span], hint, (note,))


def _said(event: Wait | Update, name: str, count: int) -> tuple[str, str]:
    """The message for a wait or an update, and what to write."""
    if isinstance(event, Wait):
        message = f"this waits for ${name} {event.op} {event.value}, and a transfer adds {count}"
        return message, f"wait for all of it: ${name} >= {count}"
    message = f"this adds {event.value} to ${name}, to which a transfer adds {count} with '++'"
    return message, f"write '${name} += {count}' at the transfer, or count with two semaphores"
