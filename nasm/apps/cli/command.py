"""One call of the command: what was asked and done, reported however it ends."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from nasm.apps.cli import arguments, streams
from nasm.apps.cli.answer import DEFECT, REFUSED, Answer, refuse
from nasm.apps.cli.verb import named, preload
from nasm.base import host_memory, signals
from nasm.base.problems import Failure, Problem, Refused, clean
from nasm.base.records import dataclass
from nasm.base.signals import StopSignal

_SOON_ASLEEP = ("OPENBLAS_THREAD_TIMEOUT", "22")
"""Threads of NumPy's matrix products keep a processor busy after each product, by default for
2**26 of its cycles, in case that another follows; 2**22 last from one product of a run to the next.
NumPy reads it when it is imported."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a verb ended that did not get to its end; without a status there is no document."""

    code: int
    message: str
    status: str = ""
    problems: tuple[Problem, ...] = ()


def run(argv: Sequence[str] | None) -> int:
    """Do what is asked with signals shielded except while it is done; returns the exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        os.environ.setdefault(*_SOON_ASLEEP)
    streams.prepare()
    answer = Answer(*arguments.asked(given))
    try:
        with signals.lifted():
            code = _command(given, answer)
            streams.flush(sys.stdout)
            return code
    except BaseException as error:
        ended = _ending(error, given, answer.verb)
    _tell(ended, answer)  # here what the verb kept in memory is gone
    return ended.code


def _command(given: list[str], answer: Answer) -> int:
    refused = arguments.refusal(given)
    if refused:
        raise arguments.Wrong(refused)
    try:
        parsed = arguments.read(given)
    except SystemExit as leaving:  # argparse has printed its help
        return leaving.code if isinstance(leaving.code, int) else REFUSED
    if parsed.verb is None:
        arguments.parser().print_help()
        return 0
    parsed.answer = answer
    if answer.about == "program":
        answer.content["program"] = parsed.program
    elif answer.about == "programs":
        answer.content["programs"] = [parsed.first.program, parsed.program]
    if getattr(parsed, "watch", False):
        from nasm.apps.cli.file_watch import watch

        return watch(lambda: _again(given, answer), parsed)
    seconds = getattr(parsed, "timeout", None)
    if seconds is not None:
        signals.limit(seconds)
    return _verb(parsed)


def _again(given: list[str], answer: Answer) -> int:
    """Do what is asked, from the beginning, and tell how it ended; returns the exit code."""
    try:
        parsed = arguments.read(given)
        parsed.answer = answer
        return _verb(parsed)
    except Exception as error:
        ended = _ending(error, given, answer.verb)
        streams.write(sys.stderr, f"neuron-nasm: {clean(ended.message)}\n")
        return ended.code


def _verb(parsed: argparse.Namespace) -> int:
    preload("nasm.apps.cli.screen")
    from nasm.apps.cli.screen import Screen

    screen = Screen(parsed.color)
    try:
        return named(parsed.verb).body(parsed, screen)
    except Failure as failure:
        return refuse(parsed, screen, failure.problems)
    except Refused as refused:
        return refuse(parsed, screen, [refused.at(None)])


def _ending(error: BaseException, given: list[str], verb: str) -> _Ending:
    """What to tell of a verb that did not get to its end."""
    stop = _stop_reason(error)
    if stop is not None:
        if not stop.late:
            return _Ending(stop.code, f"{stop}", "interrupted")
        undone = named(verb).undone if verb else "it began"
        message = f"the time of --timeout was up before {undone}"
        problem = Problem("E0516", message, None, "allow more with --timeout")
        return _Ending(stop.code, _line(problem), "timeout", (problem,))
    if isinstance(error, streams.Unwritable):
        return _Ending(REFUSED, f"cannot write to standard output: {error}")
    if isinstance(error, arguments.Wrong):
        problem = Problem("E0812", str(error))
        return _Ending(REFUSED, error.text, "refused", (problem,))
    if host_memory.lacking(error):
        problem = Problem("E0808", host_memory.LACKING)
        return _Ending(REFUSED, _line(problem), "refused", (problem,))
    if isinstance(error, FileNotFoundError) and not _in_folder():
        problem = Problem("E0801", "the working folder was deleted", None, "cd to another one")
        return _Ending(REFUSED, f"{_line(problem)}\n  hint: {problem.hint}", "refused", (problem,))
    if not isinstance(error, Exception):
        raise error
    from nasm.apps.cli import defects

    if os.environ.get("NASM_DEBUG") == "1":
        streams.write(sys.stderr, defects.details(error))
    problem = defects.problem(error, given)
    return _Ending(DEFECT, f"{_line(problem)}\n  {problem.hint}", "defect", (problem,))


def _stop_reason(error: BaseException | None) -> StopSignal | None:
    """The signal that stopped the process, even if another error followed from it."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return StopSignal.of(error)
        error = error.__context__
    return None


def _in_folder() -> bool:
    """Whether there is a working folder: without one no relative path means anything."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _line(problem: Problem) -> str:
    return f"{problem.label}[{problem.code}]: {problem.message}"


def _tell(ended: _Ending, answer: Answer) -> None:
    """Print it, and the document if one is due; another signal ends that."""
    try:
        with signals.lifted():
            streams.write(sys.stderr, f"neuron-nasm: {clean(ended.message)}\n")
            if ended.status and answer.wanted:
                answer.cut(ended.code, ended.status, ended.problems)
            streams.flush(sys.stdout)
    except (KeyboardInterrupt, streams.Unwritable):
        streams.leave(sys.stdout)
