"""Moving the run: on, step by step, back, and to another instruction.

Whatever moves it forward is done in pieces: a message of the client halts the run where it is
whole, is answered, and the move continues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.apps.dap import reports
from nasm.apps.dap.messages import WRONG, RequestArguments
from nasm.apps.dap.places import addressed, engine_of
from nasm.apps.dap.state import Body, Debugger, RunningMove, request
from nasm.apps.dap.stops import DEADLOCK, EXCEPTION, EXPECTATION, FAULT
from nasm.base.gc_pause import paused
from nasm.base.problems import Refused, clean
from nasm.debugger.moving import moves
from nasm.debugger.moving.stops import Test
from nasm.debugger.session import Session
from nasm.machine.records import Status

STEP, PAUSE, ENTRY, GOTO = "step", "pause", "entry", "goto"


def onward(debugger: Debugger) -> None:
    """Do a piece of the move that is made; stop where it ends."""
    move, session = debugger.move, debugger.session
    assert move is not None
    with debugger.moving() as free:
        if not free:
            return
        done = move.piece(session)
        hits = session.hits
    debugger.renew()
    reports.tell(debugger)
    if session.over:
        _ended(debugger, move)
        return
    met = debugger.stops.stopping(hits) if not _undebugged(debugger) else []
    if met:
        kept, hit = met[0]
        reason = kept.kind if kept is not None else EXCEPTION
        debugger.exception = (
            reports.exception(debugger, hit) if reason == EXCEPTION else ("", "", "")
        )
        numbers = [one.shown["id"] for one, _ in met if one is not None and "id" in one.shown]
        _stop(debugger, reason, str(hit), hit.met.queue + 1 or move.thread, numbers)
    elif done:
        _stop(debugger, move.reason, "", move.thread)


def _undebugged(debugger: Debugger) -> bool:
    """Whether the client only wants to run the program."""
    return bool((debugger.launched or RequestArguments({})).get("noDebug", bool, False))


def stopped(
    debugger: Debugger, reason: str, text: str = "", thread: int = 0, hits: Any = ()
) -> Body:
    """What a client gets about a stop: all engines stop together."""
    session = debugger.session
    where = session.units.moment(session.now).partition(", ")[2]  # clients show it in capitals
    body: dict[str, Any] = {
        "reason": reason,
        "threadId": thread or _active(debugger),
        "allThreadsStopped": True,
        "description": f"{_REASONS.get(reason, reason)}, at {where}",
    }
    if text:
        body["text"] = clean(text)
    if hits:
        body["hitBreakpointIds"] = list(hits)
    return body


_REASONS = {
    EXCEPTION: "stopped", STEP: "stepped", PAUSE: "paused", ENTRY: "before the first instruction",
    GOTO: "moved",
}  # fmt: skip
"""What clients show for reasons; a breakpoint is called what it is."""


def _stop(debugger: Debugger, reason: str, text: str = "", thread: int = 0, hits: Any = ()) -> None:
    debugger.move = None
    debugger.channel.event("stopped", **stopped(debugger, reason, text, thread, hits))


def _active(debugger: Debugger) -> int:
    """The thread that a client should show: an engine that can continue, or that waits."""
    every = debugger.context.engines
    ready = [e for e in every if e.at is not None and not e.holds]
    left = [e for e in every if not e.idle]
    some = [e for e in every if e.length]
    for found in (ready, left, some, every):
        if found:
            return found[0].index + 1
    return 1


def _ended(debugger: Debugger, move: RunningMove) -> None:
    """The run is at its end: what it found is reported, and it stops there."""
    session, stops = debugger.session, debugger.stops
    debugger.move = None
    ok = reports.end(debugger)
    launched = debugger.launched or RequestArguments({})
    plain = _undebugged(debugger) or not launched.get("stopAtEnd", bool, True)
    kind = {Status.DEADLOCK: DEADLOCK, Status.FAULT: FAULT}.get(session.status, EXPECTATION)
    problems = session.problems
    if plain:
        leave(debugger, 0 if ok else 1)
    elif not ok and kind in stops.filters:
        text = problems[0].message if problems else "an expectation does not hold"
        code = problems[0].code if problems else kind
        debugger.exception = (code, text, reports.details(problems))
        _stop(debugger, EXCEPTION, text, move.thread)
    else:
        _stop(debugger, PAUSE, f"the run has ended: {session.status.value}", move.thread)


def leave(debugger: Debugger, code: int) -> None:
    """Tell the client that the session is over."""
    if not debugger.over:
        debugger.over = True
        debugger.channel.event("exited", exitCode=code)
        debugger.channel.event("terminated")


# ---------------------------------------------------------------- forward


def _never(session: Session) -> bool:
    """Run on until a breakpoint, or the end."""
    session.run_until(Test(session.execution))
    return False


def _steps(engine: str | None) -> Callable[[Session], bool]:
    """Run on until an instruction has completed, of an engine or of any."""

    def piece(session: Session) -> bool:
        scheduler = session.machine.scheduler
        queue = session.queue(engine) if engine is not None else None
        before = queue.count if queue is not None else scheduler.retired
        with paused():
            session.step(engine)
        now = queue.count if queue is not None else scheduler.retired
        return now > before or (queue is not None and queue.done and not queue.flight)

    return piece


def _until(test: Test) -> Callable[[Session], bool]:
    return lambda session: bool(session.run_until(test))


def _begin(debugger: Debugger, piece: Callable[[Session], bool], reason: str, thread: int) -> None:
    """Make a move, unless another is made; at the end of the run the session is over."""
    if debugger.move is not None:
        raise Refused(WRONG, "the run is moving: pause it first")
    if debugger.session.over:
        leave(debugger, 0 if reports.end(debugger) else 1)
        return
    debugger.move = RunningMove(piece, reason, thread)


def start(debugger: Debugger) -> None:
    """Begin as the launch says: stop before the first instruction, or run."""
    launched = debugger.launched or RequestArguments({})
    session = debugger.session
    stops = launched.get("stopOnEntry", bool, False) or session.moment.position
    if stops and not _undebugged(debugger):
        reports.tell(debugger)
        _stop(debugger, ENTRY)
    else:
        debugger.move = RunningMove(_never, PAUSE)


@request("continue")
def go_on(debugger: Debugger, given: RequestArguments) -> Body:
    """Run on to the next stop or the end."""
    _begin(debugger, _never, PAUSE, given.get("threadId", int, 0))
    return {"allThreadsContinued": True}


@request("next")
def step_over(debugger: Debugger, given: RequestArguments) -> None:
    """Until the engine's next instruction has completed; others continue meanwhile."""
    thread = given.get("threadId", int)
    engine = engine_of(debugger, thread).engine
    _begin(debugger, _steps(engine), STEP, thread)


@request("stepIn")
def step_in(debugger: Debugger, given: RequestArguments) -> None:
    """Until the next instruction of any engine has completed."""
    thread = given.get("threadId", int)
    engine_of(debugger, thread)
    _begin(debugger, _steps(None), STEP, thread)


@request("stepOut")
def step_out(debugger: Debugger, given: RequestArguments) -> None:
    """Until the round of the loop that the engine is in has ended, or else all that it has."""
    thread = given.get("threadId", int)
    engine, run = engine_of(debugger, thread).engine, debugger.session.execution
    queue = run.queue(engine)
    loop = None if queue.done else moves.loop_around(run.program, queue.index, queue.pc)
    test = moves.of_loop(run, engine, False) if loop else moves.Done(run, queue)
    _begin(debugger, _until(test), STEP, thread)


@request("pause")
def pause(debugger: Debugger, given: RequestArguments) -> None:
    """Stop now, where the machine is whole."""
    if debugger.move is None:
        debugger.session  # noqa: B018  (raises Refused if there is none)
        return
    debugger.move = None
    debugger.after.append(lambda: _stop(debugger, PAUSE, "", given.get("threadId", int, 0)))


# ---------------------------------------------------------------- back, and elsewhere


def _travel(debugger: Debugger, go: Callable[[Session], str], reason: str, thread: int) -> None:
    """Go to another moment, then say where it is; ``go`` returns why it went no further."""
    if debugger.move is not None:
        raise Refused(WRONG, "the run is moving: pause it first")
    session = debugger.session
    with debugger.moving(urgent=True):
        text = go(session)
        halted = session.asked
    debugger.reported = False
    debugger.renew()
    hits = session.hits
    met = [kept for hit in hits if (kept := debugger.stops.found(hit.breakpoint.number))]
    kind = met[0].kind if met else reason
    numbers = [one.shown["id"] for one in met if "id" in one.shown]
    text = "paused on the way" if halted else text or (str(hits[0]) if hits else "")
    debugger.after.append(lambda: _stop(debugger, kind, text, thread, numbers))


@request("stepBack")
def step_back(debugger: Debugger, given: RequestArguments) -> None:
    """To when the engine had completed an instruction fewer, or any engine if it has none."""
    thread = given.get("threadId", int)
    engine = engine_of(debugger, thread).engine

    def go(session: Session) -> str:
        done = session.queue(engine).count
        went = session.back(1, engine if done else None)
        return "" if went else "this is the start of the run"

    _travel(debugger, go, STEP, thread)


@request("reverseContinue")
def back_on(debugger: Debugger, given: RequestArguments) -> None:
    """To where a breakpoint was met last, or the start."""

    def go(session: Session) -> str:
        return "" if session.back_to_stop() else "no breakpoint was met before: this is the start"

    _travel(debugger, go, PAUSE, given.get("threadId", int, 0))


@request("goto")
def go_to(debugger: Debugger, given: RequestArguments) -> None:
    """Make an engine continue at another instruction, as 'set pc' does."""
    queue, pc = addressed(debugger, hex(given.get("targetId", int)))
    name = debugger.session.program.queue_name(queue)
    if debugger.move is not None:
        raise Refused(WRONG, "the run is moving: pause it first")
    debugger.session.set_pc(name, pc)
    debugger.renew()
    debugger.after.append(lambda: _stop(debugger, GOTO, f"{name} continues at pc {pc}", queue + 1))


@request("exceptionInfo")
def exception_info(debugger: Debugger, _: RequestArguments) -> Body:
    """The problem at which the run has stopped."""
    code, text, details = debugger.exception
    if not code:
        raise Refused(WRONG, "the run did not stop at an exception")
    more = {"details": {"message": text, "stackTrace": details}} if details else {}
    return {"exceptionId": code, "description": text, "breakMode": "always", **more}
