"""Commands that show values and memory, and change nothing."""

from __future__ import annotations

import re

from nasm.debug.expressions import Value
from nasm.problems import Refused, did_you_mean, listed, quoted
from nasm.repl import displays, text
from nasm.repl.command import WRONG, command
from nasm.repl.naming import FORMATS
from nasm.repl.shell import Shell
from nasm.repl.text import numbered
from nasm.report import arrays, pictures
from nasm.spec.memory import Tensor

BAR = 16

EXPRESSION = ("tensor", "semaphore", "register", "constant", "function", "format")
"""What may stand where a value is asked for, for completion."""

PICTURE_ROWS = 64
"""Rows of cells of a picture."""


@command("print", "p", usage="print[/FORMAT] EXPRESSION", takes=EXPRESSION)
def print_(shell: Shell, rest: str) -> None:
    """Show a tensor, or what an expression is now.

    Slices and views are written as in a program, and expressions as in .expect: print c[0:4, :8],
    print c.T, print max(abs(C - A.T @ B)). A semaphore is $loaded, a register @scalar.%r0. A
    reshape need not be one that an engine could do: print x[:, 3].reshape(8, 8).

    Uninitialised elements, and what depends on them, are shown as __. /x shows the bits of each
    element in hexadecimal, /t one by one; /s shows statistics only, /h a histogram, /p a picture,
    of which a cell is the element farthest from 0, and /m one with the mean of each cell.
    """
    text, form = formatted(rest)
    if not text:
        raise Refused(WRONG, "print what?", "print c[0:4, :8]; 'info tensors' lists them")
    show(shell, shell.session.evaluate(text), form)


def show(shell: Shell, value: Value, form: str) -> None:
    """Print a value in one of the forms."""
    screen, session = shell.screen, shell.session
    width = screen.width
    if form in ("p", "m"):
        columns, coloured = width - 4, screen.coloured
        found = session.picture(value, PICTURE_ROWS, columns, form == "m")
        screen.say(arrays.heading(value, width))
        for line in pictures.drawn(found, coloured, screen.ascii_only):
            screen.show(line)
        return
    if form == "h":
        screen.say(arrays.heading(value, width))
        found_bins = session.histogram(value)
        screen.say(arrays.histogram(found_bins, width))
        screen.say(arrays.summary(value, found_bins.statistics))
        return
    lines = [arrays.heading(value, width)] if form == "s" else arrays.shown(value, form, width)
    if value.shape or value.view is not None or form == "s":
        lines.append(arrays.summary(value, session.statistics(value)))
    else:
        lines[-1] += _waiting(shell, value.text)
    screen.say(lines)


def formatted(rest: str, known: str = "") -> tuple[str, str]:
    """The expression and the format, which may stand before or after it."""
    found = re.fullmatch(r"/(\w+)(?:\s+(.*))?", rest, re.DOTALL)
    found = found or re.fullmatch(r"(.*)\s/(\w+)", rest, re.DOTALL)
    if found is None:
        return rest.strip(), ""
    text, form = (found[2], found[1]) if rest.startswith("/") else (found[1], found[2])
    if f"/{form}" not in FORMATS:
        legal = listed(f"{f} ({what})" for f, what in FORMATS.items())
        raise Refused(WRONG, f"no format '/{quoted(form)}'", f"there is {legal}")
    return (text or "").strip(), form


def _waiting(shell: Shell, text: str) -> str:
    """Who waits for a semaphore, if that is what was asked for."""
    for s in shell.session.semaphores():
        if text == f"${s.name}" and s.waiting:
            return f", {listed(s.waiting, 'and')} waiting"
    return ""


@command("x", usage="x[/COUNT] EXPRESSION", takes=EXPRESSION)
def examine(shell: Shell, rest: str) -> None:
    """Show the bits of elements, the first COUNT of them.

    It is print/x of them in one row: x/8 t[3].
    """
    found = re.fullmatch(r"/(\d{1,9})?([a-z])?\s+(.*)", rest, re.DOTALL)
    count, form, text = (found[1], found[2], found[3]) if found else (None, None, rest)
    if not text or (form and f"/{form}" not in FORMATS):
        raise Refused(WRONG, "examine what?", "x/8 t[3] shows the bits of 8 elements")
    value = shell.session.evaluate(text)
    if count is not None and value.size > int(count) > 0:
        value = shell.session.first(value, int(count))
    show(shell, value, form or "x")


# -- shown at every stop


@command("display", usage="display[/FORMAT] [EXPRESSION]", takes=EXPRESSION)
def display(shell: Shell, rest: str) -> None:
    """Show an expression now and whenever the run stops.

    Alone, it shows all of them now; 'undisplay N' ends one.
    """
    text, form = formatted(rest)
    if form not in ("", "x", "t"):
        raise Refused(WRONG, f"display shows no '/{form}'", "there is /x and /t")
    session = shell.session
    if text:
        session.expression(text)
        item = shell.displays.add(text, form)
        shell.screen.say(displays.shown(item, session, shell.screen.width))
    else:
        said = shell.displays.lines(session, shell.screen.width)
        shell.screen.say(said or "nothing is displayed: display EXPRESSION begins it")


@command("undisplay", usage="undisplay [N]", takes=("display",))
def undisplay(shell: Shell, rest: str) -> None:
    """Show an expression no longer when the run stops.

    It is named by its number; without one, none is shown any longer.
    """
    word = rest.strip()
    if not word:
        shell.displays.clear()
        return
    if not (word.isdecimal() and len(word) < 10 and shell.displays.remove(int(word))):
        known = [str(item.number) for item in shell.displays.items]
        hint = f"there is {listed(known, 'and')}" if known else "nothing is displayed"
        raise Refused(WRONG, f"no display '{quoted(word)}'", hint)


# -- info


@command("info memory", usage="info memory [NAME [BANK]]", takes=("memory",))
def memory(shell: Shell, rest: str) -> None:
    """What is in a memory now."""
    banks(shell, rest.split(" ")[0])


@command("info banks", usage="info banks [MEMORY]", takes=("memory",))
def banks(shell: Shell, rest: str) -> None:
    """Every bank of a memory: its tensors, bytes written."""
    _banks(shell, rest.strip())


def _banks(shell: Shell, memory: str) -> None:
    found = [b for b in shell.session.banks() if not memory or b.memory == memory]
    if memory and not found:
        known = {b.memory for b in shell.session.banks()}
        raise Refused(WRONG, f"no banks in a memory '{memory}'", did_you_mean(memory, known))
    rows = []
    for b in found:
        full = -(-b.written * BAR // b.size)
        bar = "#" * full + "." * (BAR - full)
        name = ", ".join(b.tensors) or "-"
        number = numbered(shell.session, b.core, b.bank)
        rows.append((b.memory, number, f"{b.written}/{b.size}", bar, name))
    shell.screen.rows(("memory", ">bank", ">written", "", "tensors"), rows, "no banked memory")
    if rows:
        shell.screen.say("written: bytes of each partition")


@command("info registers", "regs", usage="info registers [ENGINE]", takes=("engine",))
def registers(shell: Shell, rest: str) -> None:
    """The registers that were set, of one engine or all."""
    session = shell.session
    wanted = rest.strip().removeprefix("@")
    engines = [session.name(q) for q in session.queues()]
    if wanted:
        engines = [session.program.queue_name(session.queue(wanted).index)]
    rows = [
        (engine, f"%r{number}", *text.register(value))
        for engine in engines
        for number, value in session.registers(engine).items()
    ]
    shell.screen.rows(("engine", "register", ">value", ">bits"), rows, "no register was set yet")


@command("info tensors")
def tensors(shell: Shell, rest: str) -> None:
    """Every tensor: dtype, shape, place, share written."""
    session = shell.session
    rows = []
    for name, t in session.program.tensors.items():
        done = _share(session.written(name)) if session.values else "unknown"
        shape = str(list(t.shape))
        rows.append((name, t.memory.name, t.dtype.name, shape, _where(t), t.role, done))
    heads = ("tensor", "memory", "dtype", "shape", "at", "role", ">written")
    shell.screen.rows(heads, rows, "no tensors")


def _share(share: float) -> str:
    return "all" if share == 1 else f"{100 * share:.0f}%" if share else "-"


def _where(tensor: Tensor) -> str:
    """Where a tensor lives, as a declaration would say it."""
    if tensor.offset is None:
        return ""
    if not tensor.memory.partitions:
        return f"{tensor.offset}"
    bank = f" (bank {tensor.offset // tensor.memory.bank})" if tensor.memory.bank else ""
    return f"{tensor.partition or 0}:{tensor.offset}{bank}"
