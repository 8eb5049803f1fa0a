"""Commands that show values and memory, and change nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nasm.apps.repl import displays
from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.known_names import FORMATS
from nasm.apps.repl.moving import interruptible
from nasm.apps.repl.shell import FAILED, INTERRUPTED, Shell
from nasm.base.problems import Refused, counted, did_you_mean, listed, quoted
from nasm.debugger.values.expressions import dated
from nasm.debugger.values.value import Value
from nasm.show import steps as text
from nasm.views.tensor import Tensor

if TYPE_CHECKING:
    from nasm.debugger.values.memory import BankNow
    from nasm.show import memories as memory_text

MARGIN = 8
"""Columns next to the cells of a map."""

EXPRESSION = (
    "named", "tensor", "part", "item", "semaphore", "register", "constant", "function", "format",
)  # fmt: skip
"""What may be typed where a value is expected, for completion."""

MANY = 1 << 22
"""Elements that take so long that the line of progress shows their number."""

PICTURE_LINES = 32
"""Lines of a picture: more do not fit a screen."""


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
    from nasm.show import arrays, pictures

    screen, session = shell.screen, shell.session
    width = screen.width
    if value.size >= MANY:
        screen.passing(f"looking at {value.size:,} elements")
    if form in ("p", "m"):
        rows = PICTURE_LINES * (pictures.TALL if screen.graded else 1)
        found = session.expressions.picture(value, rows, screen.width - 4, form == "m")
        screen.say(arrays.heading(value, width))
        for line in pictures.drawn(found, screen.graded):
            screen.show(line)
        return
    if form == "h":
        screen.say(arrays.heading(value, width))
        found_bins = session.expressions.histogram(value)
        screen.say(arrays.histogram(found_bins, width))
        screen.say(arrays.summary(value, found_bins.statistics))
        return
    lines = [arrays.heading(value, width)] if form == "s" else arrays.shown(value, form, width)
    if value.shape or value.view is not None or form == "s":
        lines.append(arrays.summary(value, session.expressions.statistics(value)))
    else:
        lines[-1] += _waiting(shell, value.text)
    screen.say(lines)


def formatted(rest: str, known: str = "") -> tuple[str, str]:
    """The expression and the format, which may come before or after it."""
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
    found = re.fullmatch(r"/(\d{1,9})?([a-z])?(?:\s+(.*))?", rest, re.DOTALL)
    count, form, text = (found[1], found[2], found[3]) if found else (None, None, rest)
    if not text or (form and f"/{form}" not in FORMATS):
        raise Refused(WRONG, "examine what?", "x/8 t[3] shows the bits of 8 elements")
    value = shell.session.evaluate(text)
    if count is not None and value.size > int(count) > 0:
        value = shell.session.expressions.first(value, int(count))
    show(shell, value, form or "x")


# -- against something else, and into a file


@command(
    "compare",
    "diff",
    usage='compare EXPRESSION, EXPRESSION | "FILE" [rtol=R] [atol=A]',
    takes=EXPRESSION,
)
def compare(shell: Shell, rest: str) -> None:
    """Show where two values differ, or a value and a file.

    compare C, A.T @ B rtol=1e-2 and compare C "golden.npy" show how many elements differ and the
    worst of them; with a tolerance, those that differ by more than atol + rtol * |right|. compare
    acc at 2.5us shows what is other than it was then.
    """
    from nasm.show import differences

    left, right, tolerances = _sides(rest)
    found = shell.session.expressions.difference(left, right, **tolerances)
    shell.screen.say(differences.shown(found, shell.screen.width))
    if not found.same:
        shell.fail(FAILED)


def _sides(rest: str) -> tuple[str, str, dict[str, float]]:
    """Both sides and the tolerances of a comparison."""
    tolerances: dict[str, float] = {}
    while option := re.search(r"[\s,]+(rtol|atol)\s*=\s*(\S+)\s*$", rest):
        try:
            tolerances[option[1]] = number = float(option[2])
        except ValueError:
            number = -1.0
        if not 0 <= number < float("inf"):
            message = f"{option[1]}= is a finite number of at least 0, found {quoted(option[2])}"
            raise Refused(WRONG, message)
        rest = rest[: option.start()]
    file = re.fullmatch(r'(.*?)[\s,]*("[^"]*")\s*', rest, re.DOTALL)
    if file is not None and file[1].strip():
        return file[1], file[2], tolerances
    depth = 0
    for at, letter in enumerate(rest):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth and rest[:at].strip() and rest[at + 1 :].strip():
            return rest[:at], rest[at + 1 :], tolerances
    if (before := dated(rest))[1]:
        return before[0], rest, tolerances
    raise Refused(WRONG, "compare what with what?", 'compare C, A.T @ B or compare C "golden.npy"')


@command("write", usage='write EXPRESSION "FILE" [replace]', takes=EXPRESSION)
def write(shell: Shell, rest: str) -> None:
    """Write a tensor, or what an expression is, to a file.

    The file is a .npy, or a .npz with the name of the array: write acc[0:8] "data.npz:acc". One
    that exists is left as it is unless the line ends with 'replace'.
    """
    found = re.fullmatch(r'(.*?)\s*"([^"]*)"\s*(replace)?', rest.strip(), re.DOTALL)
    if found is None or not found[1].strip():
        raise Refused(WRONG, "write what, and where?", 'write C "c.npy"')
    done = shell.session.expressions.write(found[1], found[2], over=found[3] is not None)
    stored = "" if done.stored_as == done.dtype else f", stored as {done.stored_as}"
    sizes = ", ".join(map(str, done.shape))
    shell.screen.say(f"wrote {done.text} to {done.file}: {done.dtype}[{sizes}]{stored}")
    if done.unknown:
        what = counted(done.unknown, "element")
        shell.screen.say(f"{what} of it {'is' if done.unknown == 1 else 'are'} not initialised")


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
        session.expressions.parsed(text)
        item = shell.displays.add(text, form)
        shell.screen.say(displays.shown(item, session, shell.screen.width))
    else:
        message = shell.displays.lines(session, shell.screen.width)
        shell.screen.say(message or "nothing is displayed: display EXPRESSION begins it")


@command("undisplay", usage="undisplay [N]", takes=())
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


@command("info memory", "map", usage="info memory [NAME]", takes=("memory",))
def memory(shell: Shell, rest: str) -> None:
    """A map of a memory: who owns which bytes.

    A tensor is a letter, small where it is not, or not all, written. The list below says when it
    was written last, and by which line, as 'info tensors' does. Of a memory with banks the banks
    are shown instead, as 'info banks' does.
    """
    from nasm.show import memories as memory_text

    session, width = shell.session, shell.screen.width
    name, _, bank = rest.strip().partition(" ")
    memories = session.program.generation.memories
    if name in memories and memories[name].banks:
        banks(shell, rest)
        return
    if bank:
        raise Refused(WRONG, f"{quoted(name)} has no bank {quoted(bank)}")
    several, found = (session.program.cores > 1, session.memory.maps(name, columns=width - MARGIN))
    times = _times(shell)
    for one in found:
        shell.screen.say(memory_text.shown(one, several, width, times))


def _times(shell: Shell) -> memory_text.WriteTimes:
    """When tensors were written last, unless that cannot be looked for."""
    from nasm.show import memories as memory_text

    session = shell.session
    if shell.torn or not session.now:
        return memory_text.WriteTimes(session, None)
    with interruptible(shell) as stop:
        found = session.why.latest()
    if stop.asked is not None and stop.asked.leaving:
        raise stop.asked
    if found is None:
        shell.screen.say("interrupted: when tensors were written is not known", "yellow")
        shell.fail(INTERRUPTED)
    return memory_text.WriteTimes(session, found)


@command("info banks", usage="info banks [MEMORY [BANK]]", takes=("memory",))
def banks(shell: Shell, rest: str) -> None:
    """The banks of a memory, their tensors.

    Above them a strip: each bank's number, state and first tensor. A bank is accumulating (+) while
    instructions after those in progress add to what is in it, and closed (#) when none does; it is
    unwritten (.) or free (-); since is when the first that accumulates wrote it, or the last of
    all. A bank of its own is shown with its tensors.
    """
    from nasm.show import memories as memory_text

    session, width = shell.session, shell.screen.width
    several = session.program.cores > 1
    name, _, number = rest.strip().partition(" ")
    every = session.memory.banks()
    found = tuple(b for b in every if not name or b.record.memory == name)
    if name and not found:
        known = {b.record.memory for b in every}
        raise Refused(WRONG, f"no banks in a memory '{quoted(name)}'", did_you_mean(name, known))
    if number:
        chosen = [b for b in found if number.strip() == text.numbered(session, *_place(b))]
        if not chosen:
            last = text.numbered(session, *_place(found[-1]))
            message = f"no bank {quoted(number)} in {name}"
            raise Refused(WRONG, message, f"they are {text.numbered(session, 0, 0)} to {last}")
        times = _times(shell)
        shell.screen.say(memory_text.banks(chosen, several, width, times))
        shell.screen.say(
            memory_text.bank(chosen[0], session.memory.owners(chosen[0]), width, times)
        )
        return
    if not found:
        shell.screen.say("no banked memory")
        return
    for core in range(session.program.cores):
        shell.screen.say(memory_text.strip([b for b in found if b.record.core == core], width))
    shell.screen.say(memory_text.banks(found, several, width, _times(shell)))
    shell.screen.say("written: bytes of each partition")


def _place(bank: BankNow) -> tuple[int, int]:
    return bank.record.core, bank.record.bank


@command("info partition", usage="info partition [N]")
def partition(shell: Shell, rest: str) -> None:
    """What every tensor has in a partition.

    Without a number it is the first one.
    """
    from nasm.show import memories as memory_text

    word, session = rest.strip() or "0", shell.session
    most = max((m.partitions for m in session.program.generation.memories.values()), default=0)
    if not (word.isdecimal() and len(word) < 10 and int(word) < most):
        raise Refused(WRONG, f"no partition '{quoted(word)}'", f"they are 0 to {most - 1}")
    found = session.memory.partition(int(word))
    several = session.program.cores > 1
    shell.screen.say(memory_text.lanes(found, int(word), several, shell.screen.width))


@command(
    "info held", usage="info held [PART | ENGINE]", takes=("part", "engine"),
    examples=("info held", "info held belt", "info held alpha"),
)  # fmt: skip
def held(shell: Shell, rest: str) -> None:
    """What cores and engines hold: register files, locks, tiles.

    A line for each part of a core that is not idle, and what engines have loaded, by statistics. A
    part that is named is shown with its elements or as a table; of an engine, what of these belongs
    to it, and what it could hold. In expressions parts go by their names, those of core 1 by
    @1.NAME: 'print', 'watch', 'break if' and 'display' take them.
    """
    from nasm.show import core_contents

    session, screen, plain = shell.session, shell.screen, shell.settings.plain
    word = rest.strip().removeprefix("@")
    found = session.engines.held(word)
    show = core_contents.whole if word else core_contents.overview
    none = f"{word} holds nothing" if word else "no engine holds anything"
    screen.say(show(session, found, screen.width, plain) or none)


@command("info registers", "regs", usage="info registers [ENGINE]", takes=("engine",))
def registers(shell: Shell, rest: str) -> None:
    """The registers that were set, of one engine or all."""
    session = shell.session
    wanted = rest.strip().removeprefix("@")
    engines = [session.name(q) for q in session.queues()]
    if wanted:
        engines = [session.program.queue_name(session.queue(wanted).index)]
    rows = [
        (engine, text.register_name(number, names), *text.register(value))
        for engine in engines
        for names in (session.loop_registers(engine),)
        for number, value in session.registers(engine).items()
    ]
    shell.screen.rows(("engine", "register", ">value", ">bits"), rows, "no register was set yet")


@command("info tensors")
def tensors(shell: Shell, rest: str) -> None:
    """Every tensor: dtype, shape, place, share written.

    And when it was written last, and by which line, as far as the last half second of computing
    shows: < precedes the time that was searched back to. 'why' and 'back write' look for single
    elements, however long ago.
    """
    session, times, rows = shell.session, _times(shell), []
    for name, t in session.program.tensors.items():
        done = _share(session.memory.written(name)) if session.values else "unknown"
        shape = str(list(t.shape))
        cells = (name, t.memory.name, t.dtype.name, shape, _where(t), t.role, done)
        rows.append((*cells, *times.cells(name)))
    heads = ("tensor", "memory", "dtype", "shape", "at", "role", ">written", *times.heads)
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
