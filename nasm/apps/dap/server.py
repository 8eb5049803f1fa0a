"""The adapter: requests of a client, answered one after the other by the modules of this folder.

One thread reads what the client sends; all else is done in the thread that serves. A defect in an
answer costs that answer only.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import redirect_stdout
from typing import IO, Any, TextIO, cast

from nasm.apps.dap import breakpoints, console, launching, moves, places, variables
from nasm.apps.dap.breakpoints import FILTERS, logged
from nasm.apps.dap.messages import (
    WRONG,
    Channel,
    Disconnected,
    RequestArguments,
    StandardInput,
    sentence,
)
from nasm.apps.dap.state import HANDLERS, Body, Debugger, Load, request
from nasm.apps.dap.stops import Stops
from nasm.base import host_memory
from nasm.base.problems import Failure, Refused, quoted
from nasm.base.signals import StopSignal

URGENT = {"pause", "disconnect", "terminate", "restart", "cancel"}
"""Requests for which going back is halted, too."""

DEFECT = 70

ABILITIES: dict[str, object] = {
    "supportsConfigurationDoneRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsEvaluateForHovers": True,
    "supportsStepBack": True,
    "supportsSetVariable": True,
    "supportsSetExpression": True,
    "supportsGotoTargetsRequest": True,
    "supportsCompletionsRequest": True,
    "completionTriggerCharacters": [" ", ".", "$", "@"],
    "supportsRestartRequest": True,
    "supportsExceptionOptions": False,
    "supportsExceptionFilterOptions": True,
    "supportsExceptionInfoRequest": True,
    "supportTerminateDebuggee": False,
    "supportsTerminateRequest": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsLoadedSourcesRequest": True,
    "supportsLogPoints": True,
    "supportsDataBreakpoints": True,
    "supportsDisassembleRequest": True,
    "supportsInstructionBreakpoints": True,
    "supportsSteppingGranularity": True,
    "supportsBreakpointLocationsRequest": True,
    "supportsCancelRequest": True,
    "supportsValueFormattingOptions": True,
    "supportsClipboardContext": True,
    "exceptionBreakpointFilters": list(FILTERS),
}
"""What clients may ask for."""

MODULES = (breakpoints, console, launching, moves, places, variables)
"""The modules whose requests are answered."""


class Output:
    """Standard output of what runs here, such as a kernel that prints: the client's console."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, channel: Channel) -> None:
        self._channel, self._line = channel, ""

    def write(self, text: str) -> int:
        """Keep it until a line is whole."""
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._channel.output(line or " ", "stdout")
        return len(text)

    def flush(self) -> None:
        """Lines are sent when they are whole."""

    def isatty(self) -> bool:
        """It is no terminal."""
        return False


def serve(load: Load, streams: tuple[IO[bytes], IO[bytes]] | None = None) -> int:
    """Answer one client until it disconnects or is gone; returns the exit code: 0."""
    given, sent = streams or (StandardInput(), sys.stdout.buffer)
    channel = Channel(given, sent)
    debugger = Debugger(channel, load)
    debugger.stops = Stops(
        lambda: debugger.session,
        lambda body: channel.event("breakpoint", reason="changed", breakpoint=body),
        lambda kept, hit: logged(debugger, kept, hit),
    )
    folder = _folder()
    threading.Thread(target=_listen, args=(debugger,), daemon=True).start()
    try:
        with redirect_stdout(cast(TextIO, Output(channel))):
            while _turn(debugger):
                pass
    finally:
        if folder and folder != _folder():
            os.chdir(folder)
    return 0


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def _listen(debugger: Debugger) -> None:
    """Read messages until the client is gone."""
    while True:
        try:
            message = debugger.channel.read()
        except Disconnected:
            debugger.arrived(Disconnected(), urgent=True)
            return
        named = message.get("command") if isinstance(message, dict) else ""
        debugger.arrived(message, named in URGENT if isinstance(named, str) else False)
        if named == "disconnect":
            return


def _turn(debugger: Debugger) -> bool:
    """Answer a message, or move the run on; whether there is more to do."""
    if debugger.move is not None and debugger.inbox.empty():
        _guarded(debugger, lambda: moves.onward(debugger))
        return True
    message = debugger.inbox.get()
    if isinstance(message, Disconnected):
        return False
    if not isinstance(message, dict) or message.get("type") != "request":
        debugger.channel.output("a message that is no request was ignored", "console")
        return True
    return _answer(debugger, message)


def _guarded(debugger: Debugger, do: Any) -> None:
    """Do what no request waits for: errors are reported in the console."""
    try:
        do()
    except (Failure, Refused) as error:  # a condition that cannot be judged
        debugger.move = None
        debugger.renew()
        debugger.channel.output(sentence(error), "stderr")
        debugger.channel.event("stopped", **moves.stopped(debugger, "pause", sentence(error)))
    except Exception as error:
        debugger.move = None
        text = _defect(error)
        debugger.channel.output(text, "stderr")
        debugger.channel.event("stopped", reason="pause", description=text, allThreadsStopped=True)


def _answer(debugger: Debugger, message: dict[str, Any]) -> bool:
    """Answer a request; whether the client stays."""
    name, number = message.get("command"), message.get("seq")
    debugger.after.clear()
    answer = {"request_seq": number if type(number) is int else 0,
              "command": name if isinstance(name, str) else ""}  # fmt: skip
    try:
        handler = HANDLERS.get(name) if isinstance(name, str) else None
        if handler is None:
            raise Refused(WRONG, f"there is no request '{quoted(str(name))}'")
        body = handler(debugger, RequestArguments(message.get("arguments")))
    except (Failure, Refused) as error:
        _refuse(debugger, answer, sentence(error))
    except StopSignal:
        raise
    except Exception as error:
        _refuse(debugger, answer, _defect(error))
    else:
        more = {} if body is None else {"body": body}
        debugger.channel.send("response", success=True, **answer, **more)
        for do in tuple(debugger.after):
            _guarded(debugger, do)
    return name != "disconnect"


def _refuse(debugger: Debugger, answer: dict[str, Any], text: str) -> None:
    error = {"id": 1, "format": text.replace("{", "(").replace("}", ")"), "showUser": True}
    debugger.channel.send("response", success=False, message=text, body={"error": error}, **answer)


def _defect(error: Exception) -> str:
    if host_memory.lacking(error):
        return host_memory.LACKING
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = (
        f" ({os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno})"
        if frame
        else ""
    )
    first = f"{type(error).__name__}: {error}".partition("\n")[0]
    return f"a defect in nasm, not in your program: {first}{where}; please report it"


# ---------------------------------------------------------------- beginning and end


@request("initialize")
def initialize(debugger: Debugger, given: RequestArguments) -> Body:
    """What the client counts from, and what it can ask for."""
    debugger.client = given
    return ABILITIES


@request("disconnect")
def disconnect(debugger: Debugger, _: RequestArguments) -> None:
    """The client leaves."""
    debugger.move = None


@request("terminate")
def terminate(debugger: Debugger, _: RequestArguments) -> None:
    """The client wants the session to end."""
    debugger.move = None
    debugger.after.append(lambda: moves.leave(debugger, 0))


@request("cancel")
def cancel(debugger: Debugger, _: RequestArguments) -> None:
    """What it would cancel was halted when it arrived, or is answered already."""
