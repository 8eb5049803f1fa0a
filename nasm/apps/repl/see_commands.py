"""Commands that show what engines, transfers and semaphores are doing now."""

from __future__ import annotations

import re

from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.moving import interruptible
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused, in_line
from nasm.show import steps

_DEPTH = re.compile(r"(?:^|\s)depth\s*=\s*(\d{1,3})\s*$")


@command("where", "w", "bt", usage="where [ENGINE]", takes=("engine",))
def where(shell: Shell, rest: str) -> None:
    """Show what engines do now, and what is next.

    Of one engine everything that keeps its next instruction from starting. Cycles are of the engine
    next to them.
    """
    from nasm.show import engines

    session, screen = shell.session, shell.screen
    if not rest:
        screen.say(engines.lines(session, screen.width, shell.settings.plain))
        return
    index = session.queue(rest).index
    found = session.context().engines[index]
    screen.say([steps.status(session), *engines.detail(session, found, screen.width)])


# -- info


@command("info queues", "engines")
def queues(shell: Shell, rest: str) -> None:
    """Every engine's queue, and its next instruction."""
    shell.screen.records(shell.session.queues())


@command("info transfers", "dma")
def transfers(shell: Shell, rest: str) -> None:
    """Every transfer (DMA) in flight, and when it lands.

    In dispatch its shares are being sent to the channels; queued, none has started; moving, some
    have; landing, the channels are done with all of them; notifying, all have landed, and waiters
    do not know yet. 'info channels' shows the channels.
    """
    shell.screen.records(shell.session.transfers())


@command("info channels")
def channels(shell: Shell, rest: str) -> None:
    """Every channel: what it has moved, and what is pending.

    Channels move data independently of the queues.
    """
    shell.screen.records(shell.session.channels())


@command("info semaphores", "semaphore", usage="info semaphores [SEMAPHORE]", takes=("semaphore",))
def semaphores(shell: Shell, rest: str) -> None:
    """Every semaphore and event, and what waits for it.

    Of one also who has posted it, and when, and who still can: counts are of instructions.
    """
    from nasm.show import engines

    session, screen = shell.session, shell.screen
    if rest:
        (found,) = session.counters(rest)
        screen.say(engines.semaphore(session, found, session.history(rest), screen.width))
        return
    known = session.semaphores()
    if not known and any(part.name == "semaphores" for part in session.program.held_parts):
        screen.say("no semaphores with names; 'info held semaphores' shows those of each core")
        return
    screen.records(known)


# -- asking


@command(
    "who",
    usage="who TENSOR | $SEMAPHORE | [ENGINE] %REGISTER",
    takes=("tensor", "named", "semaphore", "engine"),
    examples=("who t[3, 17]", "who $loaded", "who @scalar %r0"),
)
def who(shell: Shell, rest: str) -> None:
    """List who reads, writes, posts or waits for something.

    A tensor or slice is looked at byte by byte, so that others that share its bytes are included.
    Each line of a queue appears once: 'of' says how many instructions it has become, 'done' how
    many of them have completed so far; those of a loop may do so any number of times.
    """
    session, screen = shell.session, shell.screen
    if not rest:
        raise Refused(WRONG, "who uses what?", "who t[3, 17], who $loaded, who @scalar %r0")
    found = session.who(rest)
    if not found:
        screen.say(f"nothing in the program uses {in_line(rest)}")
        return
    shell.screen.records(found)


@command("order", usage="order LINE LINE", examples=("order 15 18",))
def order(shell: Shell, rest: str) -> None:
    """Say why two lines are in order in every execution, or what is missing.

    It is about what was executed by now. For two lines that touch the same bytes, every pair of
    their executions is looked at; if one of them is in no order, it is that pair. A chain goes from
    the end of the one to the start of the other: who waits for which semaphore, who posts to it,
    and how much of what it waits for could be posted without that.
    """
    from nasm.show import check

    words = rest.replace(",", " ").split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        raise Refused(WRONG, "which two lines?", "order 15 18; 'list' shows the numbers of lines")
    one, other = map(int, words)
    shell.screen.say(check.order(shell.session.order(one, other)))


@command("waits", examples=("waits",))
def waits(shell: Shell, rest: str) -> None:
    """Say which waits and posts of the program could go, be weaker or sooner.

    Each is tried in every execution, whatever the durations, with what it saves in a run of its
    own; then how few semaphores would do. It is about the whole program, not about what was
    executed by now.
    """
    from nasm.show.waits import lines

    shell.screen.say(lines(shell.session.waits()))


@command(
    "why", usage="why ELEMENT [depth=N] | ENGINE",
    takes=("tensor", "named", "part", "item", "engine"),
    examples=("why C[0, 0]", "why t[3, 17] depth=1", "why tensor"),
)  # fmt: skip
def why(shell: Shell, rest: str) -> None:
    """Say where a value came from, or why an engine waits.

    Of an element of a tensor: what made it, when, and of which elements with which values, and
    these in turn, back to an input or to bytes that were never written; a NaN is followed to where
    it was first computed. Of an engine: what lets it continue, and which instruction would do that,
    back to what no other engine blocks: a transfer or an instruction in progress, a wait that
    nothing can end, or a circle.
    """
    from nasm.show import engines

    session, screen = shell.session, shell.screen
    found = _DEPTH.search(rest)
    word = _DEPTH.sub("", rest).strip()
    if not word:
        raise Refused(WRONG, "why what?", "why C[0, 0], or why ENGINE")
    try:
        queue = session.queue(word) if found is None else None
    except Refused:
        if word.startswith("@"):
            raise
        queue = None
    if queue is not None:
        engine = session.program.queue_name(queue.index)
        screen.say(engines.chain(session.blocked(engine), screen.width))
        return
    depth = {"depth": int(found[1])} if found is not None else {}
    with interruptible(shell):
        chain = session.why(word, **depth)
    from nasm.show import origins

    screen.say(origins.chain_lines(chain, screen.width, screen.ascii_only))
