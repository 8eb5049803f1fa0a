"""Commands that look and change nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nasm.allowing import as_errors
from nasm.examine import examine
from nasm.problems import Refused, did_you_mean, listed, quoted, rounded
from nasm.repl import arrays, text
from nasm.repl.command import WRONG, command, subcommand
from nasm.repl.naming import CHECKS, FORMATS
from nasm.repl.screen import folded, squeezed, table
from nasm.repl.shell import Shell
from nasm.report import examination, tables
from nasm.source import Source, Span
from nasm.spec.memory import Tensor

AROUND = 5
"""Lines shown before and after the one that was asked for."""

BAR = 16


@command(
    "print", "p", usage="print[/x] TENSOR | $SEMAPHORE", takes=("tensor", "semaphore", "format")
)
def print_(shell: Shell, rest: str) -> None:
    """Show a tensor, a part of one, or a semaphore.

    Slices and views are written as in a program: print c[0:4, :8], print c.T. Uninitialised
    elements are shown as __. /x shows the bits of each element.
    """
    text, form = _form(rest)
    if not text:
        raise Refused(WRONG, "print what?", "print c[0:4, :8]; 'info tensors' lists them")
    session = shell.session
    if text.startswith("$"):
        shell.screen.say(_semaphore(shell, text.removeprefix("$")))
        return
    view = session.view(text)
    if view.dynamic:
        raise Refused(WRONG, f"'{text}' starts where a register says", "write the number instead")
    shell.screen.say(
        arrays.shown(view, session.read(text), session.known(text), shell.screen.width, form)
    )


def _form(rest: str) -> tuple[str, str]:
    """The expression and the format, which may stand before or after it."""
    found = re.fullmatch(r"/(\w+)(?:\s+(.*))?", rest) or re.fullmatch(r"(.*)\s/(\w+)", rest)
    if found is None:
        return rest, ""
    text, form = (found[2], found[1]) if rest.startswith("/") else (found[1], found[2])
    if f"/{form}" not in FORMATS:
        legal = listed(f"{f} ({what})" for f, what in FORMATS.items())
        raise Refused(WRONG, f"no format '/{form}'", f"there is {legal}")
    return (text or "").strip(), form


def _semaphore(shell: Shell, name: str) -> str:
    for s in shell.session.semaphores():
        if s.name == name:
            waiting = f", {listed(s.waiting, 'and')} waiting" if s.waiting else ""
            return f"${name} = {s.value}{waiting}"
    hint = did_you_mean(f"${name}", [f"${s.name}" for s in shell.session.semaphores()])
    raise Refused("E0206", f"no semaphore '${name}'", hint or "'info semaphores' lists them")


@command("list", "l", usage="list [ENGINE | LABEL | LINE]", takes=("engine", "label"))
def list_(shell: Shell, rest: str) -> None:
    """Show the program around an engine, a label or a line.

    An engine is where its next instruction is, and is named beside that line. Without any, it is
    the first engine that has something left to do.
    """
    source, line = _place(shell, rest.strip())
    marks: dict[int, list[str]] = {}
    for q in shell.session.queues():
        if q.span is not None and q.span.source is source:
            marks.setdefault(q.span.line, []).append(shell.session.name(q))
    last = source.position(len(source.text.rstrip()))[0]
    width = max((len(",".join(m)) for m in marks.values()), default=0)
    shell.screen.say(source.shown)
    shown = range(max(1, line - AROUND), min(last, line + AROUND) + 1)
    room = shell.screen.width - width - len(" 1234 | ")
    for n, said in zip(shown, squeezed([source.line(n) for n in shown], room), strict=True):
        margin = f"{','.join(marks.get(n, ())):>{width}} {n:>4} | "
        shell.screen.say(folded(margin, said, shell.screen.width), "bold" if n in marks else "")


def _place(shell: Shell, word: str) -> tuple[Source, int]:
    """A source and a line of it; raises Refused."""
    session, program = shell.session, shell.program
    spans = [q.span for q in session.queues() if q.span is not None]
    source = session.source or (spans[0].source if spans else None)
    if source is None:
        raise Refused(WRONG, "the program has no text to list")
    if not word:
        return (spans[0].source, spans[0].line) if spans else (source, 1)
    if word.isdecimal():
        last = source.position(len(source.text))[0]
        number = int(word) if len(word) <= len(str(last)) else 0
        if not 1 <= number <= last:
            raise Refused(WRONG, f"no line {quoted(word)}: {source.shown} has {last}")
        return source, number
    span = _labelled(shell, word)
    if span is None:
        try:
            number = session.queue(word.removeprefix("@")).index
        except Refused:
            known = [session.name(q) for q in session.queues()]
            labels = [label for lines in program.queues for label in lines.labels]
            raise Refused(
                WRONG, f"no engine, label or line '{word}'", did_you_mean(word, known + labels)
            ) from None
        record = next(q for q in session.queues() if q.index == number)
        if record.span is None:
            raise Refused(WRONG, f"{session.name(record)} has nothing left to do")
        span = record.span
    return span.source, span.line


def _labelled(shell: Shell, word: str) -> Span | None:
    program = shell.program
    for index, lines in enumerate(program.queues):
        if word in lines.labels and len(lines):
            return program.span(index, min(lines.labels[word], len(lines) - 1))
    return None


@command("report")
def report(shell: Shell, rest: str) -> None:
    """Show what each engine did so far, in its own cycles.

    The last lines say how well the costs are known: documented, measured or assumed.
    """
    session = shell.session
    found = shell.final() if session.over else session.report(hashes=False)
    shell.screen.say(text.status(session))
    shell.screen.show(tables.engine_table(found.engines))
    notes = tables.table_notes(found.engines)
    if notes:
        shell.screen.say(notes, "dim")
    shell.screen.say(["", *tables.time_lines(found, session.program.generation)])
    if found.hazards:
        shell.screen.say(f"{as_errors(found.hazards)}: 'info hazards' shows them")
    if found.unchecked:
        shell.screen.say(found.unchecked)


# -- info


@command("info", "i", "show", usage="info WHAT", takes=("info",))
def info(shell: Shell, rest: str) -> None:
    """Show queues, semaphores, banks and more.

    The name of a memory that has banks shows those.
    """
    word, _, more = rest.partition(" ")
    if not word:
        shell.execute("help info")
        return
    memories = shell.program.generation.memories
    if word in memories and memories[word].banks and not more:
        _banks(shell, word)
        return
    subcommand("info", word).do(shell, more)


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
        number = text.numbered(shell.session, b.core, b.bank)
        rows.append((b.memory, number, f"{b.written}/{b.size}", bar, name))
    _rows(shell, ("memory", ">bank", ">written", "", "tensors"), rows, "no banked memory")
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
    _rows(shell, ("engine", "register", ">value", ">bits"), rows, "no register was set yet")


@command("info tensors")
def tensors(shell: Shell, rest: str) -> None:
    """Every tensor: dtype, shape, place, share written."""
    session = shell.session
    rows = []
    for name, t in session.program.tensors.items():
        done = _written(session.known(name)) if session.values else "unknown"
        shape = str(list(t.shape))
        rows.append((name, t.memory.name, t.dtype.name, shape, _where(t), t.role, done))
    heads = ("tensor", "memory", "dtype", "shape", "at", "role", ">written")
    _rows(shell, heads, rows, "no tensors")


def _written(known: arrays.Array) -> str:
    share = float(known.mean())
    return "all" if share == 1 else f"{100 * share:.0f}%" if share else "-"


def _where(tensor: Tensor) -> str:
    """Where a tensor lives, as a declaration would say it."""
    if tensor.offset is None:
        return ""
    if not tensor.memory.partitions:
        return f"{tensor.offset}"
    bank = f" (bank {tensor.offset // tensor.memory.bank})" if tensor.memory.bank else ""
    return f"{tensor.partition or 0}:{tensor.offset}{bank}"


@command("info options")
def options(shell: Shell, rest: str) -> None:
    """The machine options in force."""
    program = shell.program
    rows = [
        (o.name, str(program.options[o.name]), str(o.default), o.describe())
        for o in program.target.offered(program.generation)
    ]
    _rows(shell, ("option", "value", "default", "may be"), rows, "the machine has no options")


@command("info timing")
def timing(shell: Shell, rest: str) -> None:
    """The timing figures in force, and how each is known."""
    program = shell.program
    numbers = program.generation.numbers
    rows = [
        (f.name, rounded(fact.value), f.unit, fact.evidence.value, fact.source)
        for f in program.target.figures
        if (fact := numbers.get(f.name)) is not None
    ]
    _rows(shell, ("figure", ">value", "unit", "evidence", "source"), rows, "no figures")


@command("info hazards")
def hazards(shell: Shell, rest: str) -> None:
    """The hazards and warnings so far, and what is allowed.

    What stopped the run is among them.
    """
    session = shell.session
    judged = session.judged()
    found = (*judged.warnings, *judged.errors, *session.problems)
    for problem in found:
        shell.screen.problem(problem)
    shell.screen.say([line for a in judged.allowed for line in str(a).split("\n")])
    if not found and not judged.allowed:
        shell.screen.say("none so far")


@command("check", usage="check [map | relaxed]", takes=("check",))
def check(shell: Shell, rest: str) -> None:
    """Look for mistakes without running anything.

    It tells what is wrong with the program as far as that needs no values, from its start,
    wherever the run is. 'check map' shows who owns which bytes of each memory, and when; 'check
    relaxed' lists the reads that nothing would order if engines did not wait for their own earlier
    results.
    """
    if rest not in ("", *CHECKS):
        raise Refused(WRONG, f"check what? '{quoted(rest)}'", f"{listed(CHECKS)}, or nothing")
    found = examine(
        shell.program, relaxed=rest == "relaxed", strict=shell.strict, allow=shell.allow
    )
    screen = shell.screen
    if rest == "map":
        for part in examination.maps(
            found, shell.program.cores > 1, screen.width, screen.ascii_only
        ):
            screen.show(part)
    elif rest == "relaxed":
        for part in examination.relied(found):
            screen.show(part)
    else:
        for problem in (*found.errors, *found.warnings):
            screen.problem(problem)
        if found.notes:
            screen.show(examination.notes(found.notes))
        for allowed in found.allowed:
            screen.say(str(allowed), "dim")
        if not found.problems:
            screen.say("nothing is wrong, as far as that needs no values")


@command("info expectations")
def expectations(shell: Shell, rest: str) -> None:
    """What must hold at the end; 'expect' checks it now."""
    lines = []
    for e in shell.program.expectations:
        lines += text.excerpt(e.span, shell.screen.width)
    shell.screen.say(lines or "the program has no expectations")


def _rows(shell: Shell, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], none: str) -> None:
    shell.screen.say(table(heads, rows, shell.screen.width) if rows else none)
