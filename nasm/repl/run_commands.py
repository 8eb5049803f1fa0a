"""Commands that move the machine, and those that begin and end."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from nasm import stopping
from nasm.problems import Failure, Refused, counted, in_line, quoted
from nasm.records import Progress, Status, figures_line
from nasm.repl import text
from nasm.repl.command import WRONG, command
from nasm.repl.shell import FAILED, INTERRUPTED, NOT_ASSEMBLED, Quit, Shell
from nasm.report import tables
from nasm.session import Session
from nasm.spec.numbers import integer

SLICE = 256
"""Instructions, and cycles, between two looks at whether Ctrl-C was pressed."""

LOOK = 0.05
"""Seconds between two such looks while running."""


class Stopped(Exception):
    """The machine was stopped where it is whole."""


def check(stop: stopping.Stop) -> None:
    """Stop here if somebody asked; call it where the machine is whole."""
    if stop.asked is not None:
        raise Stopped


@dataclass(frozen=True, slots=True)
class _Advance:
    """Advance by some cycles of an engine, in slices."""

    cycles: int
    engine: str | None = None

    def __call__(self, session: Session, stop: stopping.Stop, done: text.Completed) -> None:
        left = self.cycles
        while left > 0 and not session.over:
            check(stop)
            some = min(left, SLICE)
            done.add(session.advance(some, self.engine))
            left -= some


Move = Callable[[Session, stopping.Stop, text.Completed], None]


@command("step", "s", "stepi", usage="step [N] [ENGINE]", takes=("engine",), repeats=True)
def step(shell: Shell, rest: str) -> None:
    """Run until the next instruction completes, or N do.

    With an engine, until N instructions of that engine have completed; the others continue.
    An empty line repeats it.
    """
    engine, count = _engine_and_count(shell, rest, "step [N] [ENGINE]")
    wanted = count or 1

    def move(session: Session, stop: stopping.Stop, done: text.Completed) -> None:
        left = wanted
        while left and not session.over and not _exhausted(session, engine):
            check(stop)
            # One at a time where only some count: an engine may wait for ever beside a loop.
            more = session.step(count=1 if engine else min(left, SLICE))
            done.add(more)
            left -= sum(1 for e in more if engine in (None, session.name(e)))

    _moved(shell, move, each=True)


def _exhausted(session: Session, engine: str | None) -> bool:
    """Whether an engine has completed all that its queue holds."""
    return any(session.name(q) == engine and q.state in ("done", "idle") for q in session.queues())


@command("cycle", "cycles", usage="cycle [N] [ENGINE]", takes=("engine",), repeats=True)
def cycle(shell: Shell, rest: str) -> None:
    """Advance N cycles of an engine, or of the base clock.

    An empty line repeats it.
    """
    engine, count = _engine_and_count(shell, rest, "cycle [N] [ENGINE]")
    _moved(shell, _Advance(count or 1, engine), each=True)


@command("until", "u", usage="until CYCLE, or until MICROSECONDSus")
def until(shell: Shell, rest: str) -> None:
    """Run until a cycle of the base clock, or a time."""
    found = re.fullmatch(r"([\d_.]+)\s*(us|µs|cycles?)?", in_digits(rest.strip()))
    session = shell.session
    generation = session.program.generation
    number: Fraction | None = None
    if found is not None:
        with suppress(ValueError):
            number = Fraction(found[1].replace("_", ""))
    if found is None or number is None:
        said = f"wanted a cycle or a time, found '{quoted(rest)}'"
        raise Refused(WRONG, said, "until 5000, until 2.5us")
    unit = generation.ticks if found[2] in ("us", "µs") else generation.base.cycle
    left = -((session.now - number * unit) // generation.base.cycle)
    if left <= 0 and not session.over:
        raise Refused(WRONG, f"that has passed: it is {text.moment(session)}")
    _moved(shell, _Advance(left), each=True)


@command("run", "continue", "r", "c", usage="run [MAX-CYCLES]")
def run(shell: Shell, rest: str) -> None:
    """Run to the end, or for a number of base cycles.

    It also stops when it has completed as many instructions as --max-instructions allows. Ctrl-C
    stops it between two events. 'continue' resumes.
    """
    session = shell.session
    most = _count(rest, "run [MAX-CYCLES]") if rest else None
    if most is not None:
        most += session.now // session.program.generation.base.cycle

    def move(session: Session, stop: stopping.Stop, done: text.Completed) -> None:
        before = _retired(session)

        def look(progress: Progress) -> None:
            check(stop)
            shell.screen.passing(
                f"{progress.instructions:,} instructions, {progress.microseconds:,.1f} µs"
                " (Ctrl-C stops)"
            )

        try:
            report = session.run(
                max_cycles=most,
                max_instructions=shell.most,
                progress=look,
                every=LOOK,
                hashes=False,
            )
            if session.over:
                shell.final(report)
        finally:
            done.count = _retired(session) - before
        if session.status is Status.LIMIT and done.count == shell.most:
            shell.cut = True
            shell.screen.say(
                f"'run' completes at most {counted(done.count, 'instruction')} "
                "(--max-instructions)",
                "yellow",
            )

    _moved(shell, move, each=False)


def _retired(session: Session) -> int:
    return sum(q.completed for q in session.queues())


def _moved(shell: Shell, move: Move, each: bool) -> None:
    """Move the machine, then show what came of it; ``each`` says whether step by step."""
    session = shell.session
    if shell.torn:
        raise Refused(
            WRONG,
            "the machine was stopped within an instruction and cannot continue",
            "'restart' starts over",
        )
    if session.over:
        shell.screen.say(text.status(session))
        return
    before = text.Snapshot.of(session)
    done = text.Completed()
    shell.cut = False
    session.halt(False)
    with stopping.heard(), stopping.asking(session.halt) as stop:
        # Whatever breaks in here but Stopped leaves the flag, and with it a torn machine.
        shell.moving = True
        with suppress(Stopped):
            move(session, stop, done)
        shell.moving = False
    asked = stop.asked
    try:
        if each:
            width = shell.screen.width
            shell.screen.say(text.completed(session, done, width))
            shell.screen.say(text.changed(before.changes(text.Snapshot.of(session)), width))
        else:
            shell.screen.say(f"{counted(done.count, 'instruction')} completed")
        _came_to(shell, before, asked, brief=each and done.count > 0)
    finally:
        if asked is not None and asked.leaving:  # though the terminal may have gone
            raise asked


def _came_to(shell: Shell, before: text.Snapshot, asked: stopping.Told | None, brief: bool) -> None:
    """Show what went wrong on the way, and how it ended if it did."""
    session = shell.session
    said = session.messages[before.messages :]
    more = text.messages(session) - before.messages - len(said)
    shell.screen.say(tables.message_lines(said, more))
    judged = session.judged()
    every = (*judged.warnings, *judged.errors)
    new = [p for p in every if text.told(p) not in before.noticed]
    for problem in (*new, *session.problems[before.problems :]):
        shell.screen.problem(problem)
    if asked is not None and not session.over:
        resumes = "" if asked.leaving else "; 'continue' resumes"
        shell.screen.say(f"stopped at {text.moment(session)}{resumes}", "yellow")
        shell.fail(INTERRUPTED)
    elif session.over or not brief:
        shell.screen.say(text.status(session))
    if session.status is Status.FINISHED:
        judge(shell)


def judge(shell: Shell) -> None:
    """Say what the expectations of a finished run came to."""
    report = shell.final()
    shell.screen.expectations(report.expectations)
    for problem in report.problems:
        shell.screen.problem(problem)


@command("restart", "reset", loses=True)
def restart(shell: Shell, rest: str) -> None:
    """Restart the program with the same inputs."""
    session = shell.session
    session.restart()
    shell.adopt(session)
    shell.screen.say("restarted")


@command("load", usage="load [FILE]", takes=("file",), loses=True)
def load(shell: Shell, rest: str) -> None:
    """Assemble a file and load it; alone, the same file."""
    path = rest.strip() or shell.path
    if not path:
        raise Refused(WRONG, "no program is loaded", "load FILE")
    try:
        shell.load(path)
    except Failure as failure:
        shell.refuse(failure.problems, NOT_ASSEMBLED)
        if shell.loaded:
            shell.screen.say(f"not loaded: {in_line(shell.path)} stays as it was", "yellow")
        return
    loaded(shell)


def loaded(shell: Shell) -> None:
    """Say what was loaded."""
    program = shell.program
    engines = sum(1 for q in program.queues if len(q))
    shell.screen.say(
        f"{in_line(shell.path)}: {counted(len(program), 'instruction')} on "
        f"{counted(engines, 'engine')}, {program.generation.summary}"
        + "".join(f", {name}={value}" for name, value in program.chosen.items())
    )
    if program.figures_set:
        shell.screen.say(figures_line(program.figures_set))


@command("expect")
def expect(shell: Shell, rest: str) -> None:
    """Check the program's expectations now."""
    session = shell.session
    if not session.program.expectations:
        shell.screen.say("the program has no expectations")
        return
    if session.status is Status.FINISHED:
        judge(shell)
        return
    shell.screen.say(f"before the end: {text.status(session)}")
    judged = session.expectations()
    shell.screen.expectations(judged)
    if not all(e.held for e in judged):
        shell.fail(FAILED)


@command("quit", "q", "exit", loses=True)
def leave(shell: Shell, rest: str) -> None:
    """Quit, as the end of input (Ctrl-D) does."""
    raise Quit


def _engine_and_count(shell: Shell, rest: str, usage: str) -> tuple[str | None, int | None]:
    """An engine and a count, in either order, each at most once."""
    engine: str | None = None
    count: int | None = None
    for word in rest.replace("@", " @").split():
        if (word[0].isdigit() or word[0] == "-") and "." not in word:
            if count is not None:
                raise Refused(WRONG, f"two counts: {count} and {word}", f"usage: {usage}")
            count = _count(word, usage)
        else:
            if engine is not None:
                raise Refused(WRONG, f"two engines: {engine} and {word}", f"usage: {usage}")
            queue = shell.session.queue(word.removeprefix("@"))
            engine = shell.program.queue_name(queue.index)
    return engine, count


_THOUSANDS = re.compile(r"\b(\d{1,3})((?:,\d{3})+)\b(?!,)")


def in_digits(text: str) -> str:
    """A text with the commas taken out that part thousands; others stay."""
    return _THOUSANDS.sub(lambda m: m[1] + m[2].replace(",", ""), text)


def _count(word: str, usage: str) -> int:
    """A count from 1 on; raises Refused."""
    try:
        count = integer(in_digits(word))
    except ValueError:
        count = 0
    if count < 1:
        raise Refused(WRONG, f"wanted a count from 1 on, found '{quoted(word)}'", f"usage: {usage}")
    return count
