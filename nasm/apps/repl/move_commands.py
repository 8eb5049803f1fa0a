"""Commands that move the machine on."""

from __future__ import annotations

import re

from nasm.apps.repl.command import WRONG, command
from nasm.apps.repl.moving import LOOK, SLICE, moved, watched
from nasm.apps.repl.shell import Shell
from nasm.base.numbers import integer
from nasm.base.problems import Refused, counted, quoted
from nasm.base.records import dataclass
from nasm.debugger.moving import times
from nasm.debugger.moving.stops import Met
from nasm.debugger.session import Session
from nasm.machine.records import Executed, QueueRecord, Status
from nasm.show import steps as text

_TIME = re.compile(r"[\d.,_]+\s*(us|µs|ns|cycles?)?|cycle\s+\S+")


@dataclass(frozen=True, slots=True)
class _Advance:
    """Advance by some cycles of an engine, in slices."""

    cycles: int
    engine: str | None = None

    def __call__(self, session: Session, done: text.Completed) -> None:
        left = self.cycles
        while left > 0 and not session.over:
            some = min(left, SLICE)
            done.add(session.advance(some, self.engine))
            left -= some
            if session.interrupted:
                break


@command(
    "step", "s", "si", "stepi", "next", "n",
    usage="step [N] [ENGINE | TILE]", takes=("engine",), repeats=True,
)  # fmt: skip
def step(shell: Shell, rest: str) -> None:
    """Run until the next instruction completes, or N do.

    With an engine, or with a tile as reports name it, until N instructions of it have completed;
    the others continue. An empty line repeats it.
    """
    engine, count = engine_and_count(shell, rest, "step [N] [ENGINE | TILE]", shell.program.tiles)
    wanted = count or 1
    if engine is not None and _exhausted(shell.session, engine):
        shell.screen.say(f"{engine} has nothing left to do: nothing moves")
        return

    def move(session: Session, done: text.Completed) -> None:
        left = wanted
        while left and not session.over and not _exhausted(session, engine):
            # One at a time if only some are asked for: an engine may wait forever during a loop.
            more = session.step(engine, 1) if engine else session.step(count=min(left, SLICE))
            done.add(more)
            left -= sum(1 for e in more if engine is None or _means(session, engine, e))
            if session.interrupted:
                break
        if left and engine is not None and _exhausted(session, engine):
            some = f"{wanted - left:,} of {wanted:,} completed"
            shell.screen.say(f"{engine} has nothing left to do: {some}")

    moved(shell, move, each=True)


def _exhausted(session: Session, engine: str | None) -> bool:
    """Whether an engine has completed all that its queue holds, or all of a tile have."""
    if engine is None:
        return False
    meant = [q.state for q in session.queues() if _means(session, engine, q)]
    return bool(meant) and all(state in ("done", "idle") for state in meant)


def _means(session: Session, engine: str, one: Executed | QueueRecord) -> bool:
    """Whether a name means the engine of a queue, or its tile."""
    name = session.name(one)
    return engine in (name, name.partition(".")[0])


@command("cycle", "cycles", usage="cycle [N] [ENGINE]", takes=("engine",), repeats=True)
def cycle(shell: Shell, rest: str) -> None:
    """Advance N cycles of an engine, or of the base clock.

    An empty line repeats it.
    """
    engine, count = engine_and_count(shell, rest, "cycle [N] [ENGINE]")
    moved(shell, _Advance(count or 1, engine), each=True)


@command("event", "ev", repeats=True)
def event(shell: Shell, rest: str) -> None:
    """Continue to the very next thing that happens.

    An instruction starts or completes, a wait is over, a semaphore changes, a transfer is issued,
    some of it starts to move or lands. An empty line repeats it.
    """
    met: list[Met] = []

    def move(session: Session, done: text.Completed) -> None:
        met.extend(session.event())
        shell.screen.say([f"{text.microseconds(session, session.now):,.3f} µs"])
        shell.screen.say([f"  {one.text}" for one in met] or "  nothing more happens")

    moved(shell, move, each=False)


@command(
    "until",
    "u",
    usage="until CYCLE | TIME | LOCATION | EXPRESSION",
    takes=("line", "engine", "label"),
)
def until(shell: Shell, rest: str) -> None:
    """Run to a cycle, a time, a location or a condition.

    A number is a cycle of the base clock, 2.5us a time. A location is 'line 19', a label, a
    mnemonic, or 'tensor pc 3': it stops before such an instruction starts. An expression is looked
    at after every event: until max(acc) > 3, until $loaded >= 32.
    """
    session, word = shell.session, rest.strip()
    if not word:
        raise Refused(WRONG, "until when?", "until 5000, until 2.5us, until line 19")
    if word[0].isdigit() or _TIME.fullmatch(word):
        tick = times.tick(session.execution, word.removeprefix("cycle"))
        left = -((session.now - tick) // session.program.generation.base.cycle)
        if left <= 0 and not session.over:
            hint = "'goto' goes to a moment in the past"
            raise Refused(WRONG, f"that has passed: it is {text.moment(session)}", hint)
        moved(shell, _Advance(left), each=True)
        return
    location = word.removeprefix("line ").strip() if word.startswith("line ") else word
    try:
        test = session.stop_for(location)
    except Refused as refused:
        if refused.code != WRONG or (" " not in word and word.isidentifier()):
            raise
        test = session.stop_when(word)
    met: list[Met] = []

    def move(session: Session, done: text.Completed) -> None:
        before = retired(session)
        met.extend(session.run_until(test))
        done.count = retired(session) - before
        shell.screen.say([one.text for one in met])

    moved(shell, move, each=False)


_ENDS = ("round", "loop", "expansion", "transfer")


@command(
    "finish", "fin",
    usage="finish [round | loop | expansion | transfer] [ENGINE | LOCATION]", takes=("engine",),
)  # fmt: skip
def finish(shell: Shell, rest: str) -> None:
    """Run until a queue, a round, a loop, an expansion or a transfer ends.

    'finish tensor' runs until that engine has completed all it has; 'finish round' until the round
    of the loop that an engine is in has ended, 'finish loop' until all its rounds have; 'finish
    expansion' until all instructions that one of the engine is expanded to are executed; 'finish
    transfer' until the transfers that are in flight have landed, or those of a line. Without an
    engine it is the one at which the run is, or the first that has something left to do.
    """
    word, _, more = rest.strip().partition(" ")
    session, what = shell.session, word if word in _ENDS else ""
    where = (more if what else rest).strip()

    def move(session: Session, done: text.Completed) -> None:
        before = retired(session)
        if what == "transfer":
            met = session.finish_transfers(where.removeprefix("line ").strip())
        elif what == "expansion":
            met = session.finish_expansion(engine)
        elif what:
            met = session.finish_loop(engine, whole=what == "loop")
        else:
            met = session.finish(engine)
        done.count = retired(session) - before
        shell.screen.say([one.text for one in met])

    engine = where.removeprefix("@") if where or what == "transfer" else standing(session)
    if what != "transfer":
        engine = session.program.queue_name(session.queue(engine).index)
        if _exhausted(session, engine):
            shell.screen.say(f"{engine} has nothing left to do: nothing moves")
            return
    moved(shell, move, each=False)


def standing(session: Session) -> str:
    """The engine at which the run is, or the first that has something left to do."""
    for hit in session.hits:
        if hit.met.queue >= 0:
            return session.program.queue_name(hit.met.queue)
    left = [session.name(q) for q in session.queues() if q.text or q.in_flight]
    if not left:
        raise Refused(WRONG, "no engine has anything left to do")
    return left[0]


@command("run", "r", usage="run [MAX-CYCLES]")
def run(shell: Shell, rest: str) -> None:
    """Run on to a stop or the end, or for N cycles.

    It also stops when it has completed as many instructions as --max-instructions allows. Ctrl-C
    stops it between two events. 'continue' resumes.
    """
    session = shell.session
    most = count_of(rest, "run [MAX-CYCLES]") if rest else None
    if most is not None:
        most += session.now // session.program.generation.base.cycle
    _run(shell, most)


@command("continue", "c", usage="continue [N]", repeats=True)
def continue_(shell: Shell, rest: str) -> None:
    """Run on to the next stop or the end.

    'continue N' passes stops, and ends at the Nth. An empty line repeats it.
    """
    for _ in range(count_of(rest, "continue [N]") if rest else 1):
        _run(shell, None)
        if shell.session.over or not shell.session.hits:
            break


def _run(shell: Shell, most: int | None) -> None:
    def move(session: Session, done: text.Completed) -> None:
        before = retired(session)
        try:
            report = session.run(
                max_cycles=most,
                max_instructions=shell.most,
                progress=watched(shell),
                every=LOOK,
                hashes=False,
            )
            if session.over:
                shell.final(report)
        finally:
            done.count = retired(session) - before
        if session.status is Status.LIMIT and done.count == shell.most:
            shell.cut = True
            shell.screen.say(
                f"'run' completes at most {counted(done.count, 'instruction')} "
                "(--max-instructions)",
                "yellow",
            )

    moved(shell, move, each=False)


def retired(session: Session) -> int:
    """How many instructions have completed."""
    return sum(q.completed for q in session.queues())


def engine_and_count(
    shell: Shell, rest: str, usage: str, tiles: object = ()
) -> tuple[str | None, int | None]:
    """An engine and a count, in either order, each at most once; with ``tiles`` also a tile."""
    engine: str | None = None
    count: int | None = None
    for word in rest.replace("@", " @").split():
        tile = word if tiles and word in shell.program.core_names else None
        if tile is None and (word[0].isdigit() or word[0] == "-") and "." not in word:
            if count is not None:
                raise Refused(WRONG, f"two counts: {count} and {word}", f"usage: {usage}")
            count = count_of(word, usage)
        else:
            if engine is not None:
                raise Refused(WRONG, f"two engines: {engine} and {word}", f"usage: {usage}")
            engine = tile or shell.program.queue_name(shell.session.queue(word).index)
    return engine, count


_THOUSANDS = re.compile(r"\b(\d{1,3})((?:,\d{3})+)\b(?!,)")


def in_digits(text: str) -> str:
    """A text with the commas taken out that part thousands; others stay."""
    return _THOUSANDS.sub(lambda m: m[1] + m[2].replace(",", ""), text)


def count_of(word: str, usage: str) -> int:
    """A count from 1 on; raises Refused."""
    try:
        count = integer(in_digits(word))
    except ValueError:
        count = 0
    if count < 1:
        raise Refused(WRONG, f"wanted a count from 1 on, found '{quoted(word)}'", f"usage: {usage}")
    return count
