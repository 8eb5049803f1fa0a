"""Commands that show what engines, transfers and semaphores are doing now."""

from __future__ import annotations

from nasm.debug.transfers import NOTIFYING, TransferRecord
from nasm.problems import Refused, did_you_mean
from nasm.repl import scene, text
from nasm.repl.command import command
from nasm.repl.shell import Shell


@command("where", "w", usage="where [ENGINE]", takes=("engine",))
def where(shell: Shell, rest: str) -> None:
    """Show what engines do now, and what is next.

    Of one engine everything that keeps its next instruction from starting. Cycles are of the
    engine beside them.
    """
    session = shell.session
    if not rest:
        shell.screen.say(scene.lines(session, shell.screen.width, shell.settings.plain))
        return
    index = session.queue(rest.removeprefix("@")).index
    found = session.context().engines[index]
    shell.screen.say([text.status(session), *scene.detail(session, found)])


# -- info


@command("info queues", "engines")
def queues(shell: Shell, rest: str) -> None:
    """Every engine's queue, and its next instruction."""
    name = shell.session.name
    rows = [
        (name(q), f"{q.pc}/{q.length}", f"{q.completed:,}", str(len(q.in_flight)), q.state, q.text)
        for q in shell.session.queues()
    ]
    heads = ("engine", ">pc", ">completed", ">in flight", "state", "next")
    shell.screen.rows(heads, rows, "")


@command("info transfers", "dma")
def transfers(shell: Shell, rest: str) -> None:
    """Every transfer (DMA) under way, and when it lands.

    In dispatch its shares are on their way to the channels; queued, none has started; moving, some
    have; landing, the channels are done with all of them; notifying, all have landed, and waiters
    do not know yet. 'info channels' shows the channels.
    """
    session = shell.session
    found = session.transfers()
    if not found:
        shell.screen.say("no transfer is under way")
        return
    rows = [
        (
            f"{t.engine} pc {t.pc}",
            str(t.span.line) if t.span else "",
            t.phase,
            f"{t.landed}/{t.shares}",
            f"{t.bytes:,}" if t.bytes else "",
            str(t.ring) if t.ring >= 0 else "",
            _when(shell, t),
            f"{t.src} -> {t.dst}",
        )
        for t in found
    ]
    heads = ("issued by", ">line", "phase", ">landed", ">bytes", ">ring", ">at µs", "from -> to")
    shell.screen.rows(heads, rows, "")
    notes = {
        "at: when it lands": any(t.phase != NOTIFYING and t.certain for t in found),
        "> not before that": any(not t.certain for t in found),
        "seen: when waiters see it": any(t.phase == NOTIFYING for t in found),
    }
    shell.screen.say("; ".join(said for said, told in notes.items() if told), "dim")


def _when(shell: Shell, transfer: TransferRecord) -> str:
    """When a transfer lands, or is seen to have landed."""
    if transfer.phase == NOTIFYING:
        return f"seen {text.microseconds(shell.session, transfer.seen):,.3f}"
    at = f"{text.microseconds(shell.session, transfer.lands):,.3f}"
    return at if transfer.certain else f">{at}"


@command("info channels")
def channels(shell: Shell, rest: str) -> None:
    """Every channel: what it has moved, and what is pending.

    Channels move data beside the queues.
    """
    session = shell.session
    rows = [
        (
            text.numbered(session, c.core, c.index),
            f"{c.jobs:,}",
            f"{c.bytes:,}",
            f"{text.microseconds(session, c.busy):,.3f}",
            str(c.pending),
            "moving" if c.moving else "idle",
        )
        for c in session.channels()
    ]
    heads = (">channel", ">shares", ">bytes", ">busy µs", ">pending", "now")
    shell.screen.rows(heads, rows, "no channels")


@command("info semaphores", "semaphore", usage="info semaphores [SEMAPHORE]", takes=("semaphore",))
def semaphores(shell: Shell, rest: str) -> None:
    """Every semaphore and event, and what waits for it."""
    session = shell.session
    found = session.semaphores()
    wanted = rest.removeprefix("$")
    if wanted:
        names = [f"${s.name}" for s in found]
        found = tuple(s for s in found if s.name == wanted)
        if not found:
            hint = did_you_mean(f"${wanted}", names) or "'info semaphores' lists them"
            raise Refused("E0206", f"no semaphore '${wanted}'", hint)
    rows = [
        (
            f"${s.name}",
            f"{'event ' if s.event else ''}{text.numbered(session, s.core, s.number)}",
            str(s.value),
            ", ".join(s.waiting),
        )
        for s in found
    ]
    heads = ("semaphore", ">number", ">value", "waiting")
    shell.screen.rows(heads, rows, "no semaphores")
