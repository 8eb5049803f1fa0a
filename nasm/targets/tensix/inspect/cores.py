"""What threads have in front of their gates, and what their RISC-V cores hold, for display."""

from __future__ import annotations

from typing import Final

import numpy as np

from nasm.isa.core_state import Part, Seen
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.front.feeding import BEFORE_GATE, BEFORE_REPLAY
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.unit_queries import thread_name


def core_name(thread: int) -> str:
    """The core that pushes to a thread, as programs write it."""
    return f"trisc{thread}"


def _front(core: Tensix) -> Seen:
    """What each FIFO holds, as of when something asked last."""
    rows, facts = [], core.chip.cores
    for thread, front in enumerate(core.fronts):
        if core.lines[thread] is None or front.empty:
            continue
        made = f"{front.made} of {len(front.counts)}" if front.made < len(front.counts) else ""
        rows.append((
            thread_name(thread),
            f"{front.waiting(facts.not_passed)} of {facts.depths[thread]}",
            made,
            f"{len(front.words)} of {BEFORE_REPLAY}",
            f"{len(front.arrived)} of {BEFORE_GATE}",
        ))  # fmt: skip
    text = "; ".join(f"{row[0]} has {row[1]} before its expanders" for row in rows)
    heads = "thread", ">before MOP", ">made of it", ">before REPLAY", ">before the gate"
    return Seen(summary=text, heads=heads, rows=tuple(rows))


def _riscv(core: Tensix) -> Seen:
    """Registers, and what waits in the mailboxes to each core."""
    held = np.stack([risc.registers for risc in core.riscs])
    rows = []
    for thread, risc in enumerate(core.riscs):
        for number, value in enumerate(risc.registers.tolist()):
            if value:
                rows.append((core_name(thread), f"x{number}", f"{value:08x}"))
        for sender in range(THREADS):
            values = " ".join(f"{value:08x}" for value in risc.boxes[sender])
            if values:
                rows.append((core_name(thread), f"mailbox from {core_name(sender)}", values))
    return Seen(held, heads=("core", "what", "bits"), rows=tuple(rows))


PARTS: Final = (
    Part("front", "what a core has pushed that is in front of the gate", _front, by_queue=True),
    Part("riscv", "the registers of the cores, and their mailboxes", _riscv, by_queue=True),
)
"""What there is of cores."""
