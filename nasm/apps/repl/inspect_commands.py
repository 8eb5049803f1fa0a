"""Commands that look and change nothing."""

from __future__ import annotations

from nasm.apps.repl.command import WRONG, command, subcommand
from nasm.apps.repl.known_names import CHECKS
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused, did_you_mean, listed, quoted, rounded
from nasm.base.source import Source, Span
from nasm.base.suppressions import as_errors, in_turn
from nasm.debugger.moving.locations import file_of
from nasm.show import steps, tables
from nasm.show.columns import folded, squeezed

AROUND = 5
"""Lines shown before and after the one that was asked for."""


@command(
    "list", "l",
    usage="list [ENGINE | LABEL | LINE | FIRST, LAST]", takes=("line", "engine", "label"),
)  # fmt: skip
def list_(shell: Shell, rest: str) -> None:
    """Show the program around an engine, a label or a line.

    An engine is where its next instruction is, and is named next to that line. Without any, it is
    the first engine that has something left to do. 'list 10, 30' shows these lines, 'list
    lib/softmax.nasm:16' those of an included text.
    """
    first, comma, to = (part.strip() for part in rest.partition(","))
    source, line = _place(shell, first)
    marks: dict[int, list[str]] = {}
    for q in shell.session.queues():
        if q.span is not None and q.span.source is source:
            marks.setdefault(q.span.line, []).append(shell.session.name(q))
    last = source.position(len(source.text.rstrip()))[0]
    width = max((len(",".join(m)) for m in marks.values()), default=0)
    shown = range(max(1, line - AROUND), min(last, line + AROUND) + 1)
    if comma:
        end = _place(shell, to)[1] if to else line + 2 * AROUND
        if end < line:
            raise Refused(WRONG, f"from line {line} to line {end}", f"list {end}, {line}")
        shown = range(line, min(last, end) + 1)
    shell.screen.say(source.shown)
    room = shell.screen.width - width - len(" 1234 | ")
    for n, text in zip(shown, squeezed([source.line(n) for n in shown], room), strict=True):
        margin = f"{','.join(marks.get(n, ())):>{width}} {n:>4} | "
        shell.screen.say(folded(margin, text, shell.screen.width), "bold" if n in marks else "")


def _place(shell: Shell, word: str) -> tuple[Source, int]:
    """A source and a line of it; raises Refused."""
    session, program = shell.session, shell.program
    spans = [q.span for q in session.queues() if q.span is not None]
    source = session.source or (spans[0].source if spans else None)
    if source is None:
        raise Refused(WRONG, "the program has no text to list")
    if not word:
        return (spans[0].source, spans[0].line) if spans else (source, 1)
    file, _, line_of = word.rpartition(":")
    if file and line_of.isdecimal():
        source, word = file_of(session.execution, file), line_of
    if word.isdecimal():
        last = source.position(len(source.text))[0]
        number = int(word) if len(word) <= len(str(last)) else 0
        if not 1 <= number <= last:
            raise Refused(WRONG, f"no line {quoted(word)}: {source.shown} has {last}")
        return source, number
    span = _labelled(shell, word)
    if span is None:
        try:
            number = session.queue(word).index
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
    shell.screen.say(steps.status(session))
    shell.screen.show(tables.engine_table(found.engines))
    notes = tables.table_notes(found.engines)
    if notes:
        shell.screen.say(notes, "dim")
    shell.screen.say(["", *tables.time_lines(found)])
    if found.hazards:
        shell.screen.say(f"{as_errors(found.hazards)}: 'info hazards' shows them")
    for text in (found.unchecked, found.by_hand):
        if text:
            shell.screen.say(text)


# -- info


@command("info", "i", "show", usage="info WHAT", takes=("info",))
def info(shell: Shell, rest: str) -> None:
    """Show queues, semaphores, tensors and more.

    The name of a memory shows what is in it now, with a number one of its banks: info psum 3.
    """
    word, _, more = rest.partition(" ")
    if not word:
        shell.execute("help info")
        return
    if word in shell.program.generation.memories:
        subcommand("info", "memory").handler(shell, rest)
        return
    subcommand("info", word).do(shell, more)


@command("info options")
def options(shell: Shell, rest: str) -> None:
    """The machine options in force."""
    program = shell.program
    rows = [
        (o.name, str(program.options[o.name]), str(o.default), o.describe())
        for o in program.target.offered(program.generation)
    ]
    shell.screen.rows(("option", "value", "default", "may be"), rows, "the machine has no options")


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
    shell.screen.rows(("figure", ">value", "unit", "evidence", "source"), rows, "no figures")


@command("info hazards")
def hazards(shell: Shell, rest: str) -> None:
    """The hazards and warnings so far, and what is allowed.

    What stopped the run is among them.
    """
    session = shell.session
    judged = session.judged()
    found = (*in_turn(judged.warnings, judged.errors), *session.problems)
    for problem in found:
        shell.screen.problem(problem)
    shell.screen.say([line for a in judged.allowed for line in str(a).split("\n")])
    if not found and not judged.allowed:
        shell.screen.say("none so far")


@command("check", usage="check [map | relaxed]", takes=("check",))
def check(shell: Shell, rest: str) -> None:
    """Look for mistakes without running anything.

    It reports the errors of the program as far as that needs no values, from its start, wherever
    the run is. 'check map' shows who owns which bytes of each memory, and when; 'check relaxed'
    lists the reads that nothing would order if engines did not wait for their own earlier results.
    """
    if rest not in ("", *CHECKS):
        raise Refused(WRONG, f"check what? '{quoted(rest)}'", f"{listed(CHECKS)}, or nothing")
    from nasm.runs.check import examine
    from nasm.show import check as examination

    found = examine(shell.session.assembled, relaxed=rest == "relaxed", settings=shell.chosen)
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
        lines += steps.excerpt(e.span, shell.screen.width)
    shell.screen.say(lines or "the program has no expectations")
