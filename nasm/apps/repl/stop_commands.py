"""Commands that say where to stop."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.move_commands import count_of
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused, in_line, quoted
from nasm.debugger.moving.breakpoint_records import Breakpoint
from nasm.machine.records import Rows

_IF = re.compile(r"(?:^|\s)if\s+(.+)$", re.DOTALL)
_AS = re.compile(r"\s+as\s+([A-Za-z_][\w-]*)\s*$")
_AFTER = re.compile(r"(?:^|\s)after(?=\s|$)")

USAGE = "break LOCATION [after] [as NAME] [if EXPRESSION]"


@command(
    "break", "b", usage=USAGE, takes=("line", "engine", "label", "mnemonic", "semaphore", "stop"),
    examples=("break 19", "break 19 if k == 3", "break $loaded >= 32", "break nan"),
)  # fmt: skip
def break_(shell: Shell, rest: str) -> None:
    """Stop at a location, a time, a semaphore and more.

    A line, a label, a mnemonic, an engine, or 'tensor pc 3': before such an instruction starts, or
    'after' it has completed. '$loaded' when it changes, '$loaded >= 32' when it becomes so;
    '@scalar.%r0' when it changes; 'cycle 500' and '2.5us'; 'transfer [start | land] [LOCATION]';
    'held 1000 [ENGINE]' when an engine is blocked for so many cycles; 'hazard [E0501]'; 'nan' at
    the first NaN or infinity that is made; 'if EXPRESSION' when it becomes true. A condition may
    use the variables of the loops around an instruction. Alone, it lists them.
    """
    if not rest.strip():
        _list(shell)
        return
    _set(shell, rest, temporary=False)


@command("tbreak", "tb", usage=f"t{USAGE}", takes=("line", "engine", "label", "mnemonic", "stop"))
def tbreak(shell: Shell, rest: str) -> None:
    """Stop once: as 'break', and deleted when it is met."""
    if not rest.strip():
        raise Refused(WRONG, "stop where?", "tbreak 19; 'help break' says what there is")
    _set(shell, rest, temporary=True)


def _set(shell: Shell, rest: str, temporary: bool) -> None:
    what, condition, name = _parted(rest)
    after = _AFTER.search(what) is not None
    if after:
        what = _AFTER.sub(" ", what).strip()
    if what.startswith("line "):
        what = what.removeprefix("line ").strip()
    if not what:
        what, condition = f"if {condition}", ""
    made = shell.session.break_at(
        what, after=after, condition=condition, temporary=temporary, name=name
    )
    _print_stop(shell, made)


def _parted(rest: str) -> tuple[str, str, str]:
    """What to stop at, the condition, and the name."""
    condition, name = "", ""
    found = _IF.search(rest)
    if found is not None:
        condition, rest = found[1].strip(), rest[: found.start()]
    named = _AS.search(rest)
    if named is not None:
        name, rest = named[1], rest[: named.start()]
    return rest.strip(), condition, name


def _print_stop(shell: Shell, made: Breakpoint) -> None:
    kind = "watchpoint" if made.watch else "breakpoint"
    shell.screen.say(f"{kind} {made}")
    if made.note:
        shell.screen.say(f"  {made.note}")
    shell.renew()


WATCH = "TENSOR | SEMAPHORE | REGISTER | PART [as NAME] [if EXPRESSION]"


@command(
    "watch", usage=f"watch {WATCH}", takes=("tensor", "named", "part", "item", "semaphore"),
    examples=("watch acc", "watch t[3, 0:8]", "watch psum bank 2", "watch sbuf 0:64"),
)  # fmt: skip
def watch(shell: Shell, rest: str) -> None:
    """Stop when memory or a register changes.

    A tensor, a part of one, a bank ('psum bank 2'), or bytes of each partition ('sbuf 0:64
    partitions 0:8'); by instructions and by transfers. It shows what was there, and what is. A part
    of what a core holds, as 'info held' names it, is compared after every event.
    """
    _watch(shell, rest, "changed")


@command("wwatch", usage=f"wwatch {WATCH}", takes=("tensor", "named"))
def wwatch(shell: Shell, rest: str) -> None:
    """Stop when memory is written, even with what it held.

    'watch' stops only where a write changes it.
    """
    _watch(shell, rest, "written")


@command("rwatch", usage=f"rwatch {WATCH}", takes=("tensor", "named"))
def rwatch(shell: Shell, rest: str) -> None:
    """Stop where memory is read.

    Before an instruction reads it, and when a transfer has begun to.
    """
    _watch(shell, rest, "read")


def _watch(shell: Shell, rest: str, how: str) -> None:
    what, condition, name = _parted(rest)
    if not what:
        raise Refused(WRONG, "watch what?", "watch acc, watch t[3, 0:8], watch psum bank 2")
    made = shell.session.watch(what, how, condition=condition, name=name)
    _print_stop(shell, made)


@command("info breakpoints", "b", "watchpoints", "stops")
def breakpoints(shell: Shell, rest: str) -> None:
    """Where the run stops, and how often it has."""
    _list(shell)


def _list(shell: Shell) -> None:

    found = Rows(Breakpoint, shell.session.breakpoints, shell.session.units)
    shell.screen.records(found)


def _chosen(shell: Shell, rest: str, verb: str) -> Sequence[int]:
    """The numbers of the breakpoints that are named; all of them if none is."""
    session = shell.session
    words = rest.replace(",", " ").split()
    if not words:
        found = [one.number for one in session.breakpoints]
        if not found:
            raise Refused(WRONG, f"there is nothing to {verb}", "'break' sets a breakpoint")
        return found
    return [session.breakpoints[word].number for word in words]


@command("delete", "d", usage="delete [BREAKPOINT …]", takes=("breakpoint",), loses=True)
def delete(shell: Shell, rest: str) -> None:
    """Delete breakpoints, by number or name.

    Alone, all of them.
    """
    for number in _chosen(shell, rest, "delete"):
        shell.screen.say(f"deleted {shell.session.breakpoints.delete(number)}")
    shell.renew()


@command("disable", usage="disable [BREAKPOINT …]", takes=("breakpoint",))
def disable(shell: Shell, rest: str) -> None:
    """Stop at breakpoints no longer, but keep them.

    Alone, at none of them.
    """
    for number in _chosen(shell, rest, "disable"):
        shell.screen.say(str(shell.session.breakpoints.change(number, enabled=False)))


@command("enable", usage="enable [BREAKPOINT …]", takes=("breakpoint",))
def enable(shell: Shell, rest: str) -> None:
    """Stop at breakpoints again.

    Alone, at all of them.
    """
    for number in _chosen(shell, rest, "enable"):
        shell.screen.say(str(shell.session.breakpoints.change(number, enabled=True)))


@command("ignore", usage="ignore BREAKPOINT N", takes=("breakpoint",))
def ignore(shell: Shell, rest: str) -> None:
    """Pass a breakpoint N times before it stops the run."""
    words = rest.split()
    if len(words) != 2:
        raise Refused(WRONG, "ignore which, how often?", "ignore 1 3")
    count = 0 if words[1] == "0" else count_of(words[1], "ignore BREAKPOINT N")
    shell.screen.say(str(shell.session.breakpoints.change(words[0], ignore=count)))


@command(
    "commands", usage="commands BREAKPOINT [COMMAND; COMMAND …]", takes=("breakpoint",),
    examples=("commands 1 p acc[0, 0]; continue",),
)  # fmt: skip
def commands(shell: Shell, rest: str) -> None:
    """Do commands whenever a breakpoint is met.

    Without any, none any longer.
    """
    word, _, more = rest.strip().partition(" ")
    if not word:
        raise Refused(WRONG, "commands of which breakpoint?", "commands 1 p acc[0, 0]; continue")
    lines = tuple(part.strip() for part in re.split(r";|\n", more) if part.strip())
    made = shell.session.breakpoints.change(word, commands=lines)
    text = "; ".join(map(in_line, made.commands)) or "no commands"
    shell.screen.say(f"{quoted(str(made.number))}: {text}")
