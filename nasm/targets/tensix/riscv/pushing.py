"""Tensix instructions that RISC-V code pushes, by their words, and what threads take of them.

Source: PushTensixInstruction of the public ISA documentation of Wormhole B0. What B pushes enters
after the MOP expander of a thread.
"""

from __future__ import annotations

from typing import Final

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.targets.tensix import memory_map as at
from nasm.targets.tensix.core.pushed import PushedWord, ThreadLines, front_of, full
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.front.expanding import EXPANDERS, ExpanderAction
from nasm.targets.tensix.front.feeding import BEFORE_REPLAY
from nasm.targets.tensix.risc_state import B
from nasm.targets.tensix.unit_queries import core_text, thread_name

_AFTER_ALL: Final = frozenset({ExpanderAction.TEMPLATE, ExpanderAction.MASK})
"""What the MOP expander does, past which B pushes."""


def thread_at(number: int, address: int) -> int:
    """The thread that a core pushes to at an address."""
    return (address - at.INSTRUCTIONS) // at.QUEUE_BYTES if number == B else number


def room(core: Tensix, number: int, thread: int) -> Blocked | None:
    """Whether the FIFO has room for a word that a core pushes to a thread; raises Refused."""
    if not core.fed[thread]:
        message = f"{thread_name(thread)} has lines of its own, and takes no words"
        raise Refused("E0601", message, f"leave {thread_name(thread)} without lines")
    front = front_of(core, thread)
    if number != B:
        return full(core, thread)
    if len(front.words) < BEFORE_REPLAY:
        if front.made < len(front.counts):
            message = (
                f"RISC-V B pushes while the MOP expander of {thread_name(thread)} has words to "
                "make: in which order they come is not documented"
            )
            raise Refused("E0701", message)
        return None
    held, where = BEFORE_REPLAY, "replay expander"
    reason = f"the FIFO in front of the {where} of {thread_name(thread)} holds {held} of {held}"
    until = front.next_step(core.around.now)
    return Blocked("fifo", reason, until, by=(thread,), on=(f"front {thread}",))


def push(core: Tensix, number: int, thread: int, word: int) -> None:
    """Push a word; raises Refused for one that is no Tensix instruction."""
    assert core.words is not None
    reason = core.words.reason(word)
    if reason:
        raise Refused("E0323", f"it pushes {word:#010x}, which is no instruction: {reason}")
    now, place = core.around.now, core.around.place
    assert isinstance(place, tuple)
    pushed = PushedWord(word, (place[0], int(place[1])))
    front = front_of(core, thread)
    if number != B:
        front.push(now, pushed)
    elif EXPANDERS.get(word >> 24) in _AFTER_ALL:
        message = f"{core_text(B)} pushes past the MOP expander, which {word:#010x} is for"
        raise Refused("E0701", message, "let the core of the thread push it")
    else:
        front.push_after(now, pushed, ThreadLines(core, thread))
    core.around.changed(f"front {thread}")


def store(core: Tensix, number: int, address: int, value: int) -> None:
    """Push the word that a core stores."""
    push(core, number, thread_at(number, address), value)
