"""A program or a kernel run in child processes: the way in."""

from __future__ import annotations

import json
import os
import pickle
import secrets
import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from nasm.base.problems import Failure, Problem
from nasm.base.records import dataclass, replace
from nasm.base.source_files import Given, ObjectFile, Text, program_of
from nasm.isolation import process
from nasm.isolation.exchange import MADE, PROTECTED, Ended, Perform
from nasm.isolation.limits import Limits, Protection
from nasm.isolation.outcome import How, Outcome, Printed
from nasm.isolation.work import OF_MEMORY, Ran, RunWork, TraceWork, Work, unpacked
from nasm.language.objects.writing import written
from nasm.machine.inputs import Inputs
from nasm.nki.engines import USUAL
from nasm.nki.errors import line_of
from nasm.nki.exceptions import RAISED, permitted
from nasm.nki.kernel_argument import split
from nasm.nki.target import default_target
from nasm.program.program import Program
from nasm.runs.settings import IsolatedKeywords, RunSettings, with_keywords, with_settings


@with_settings(IsolatedKeywords)
def isolated(
    program: Text | Program,
    inputs: Inputs | None = None,
    *,
    limits: Limits | None = None,
    arguments: Mapping[str, str] | None = None,
    lnc: int | None = None,
    dma: str = USUAL,
    hoist: bool | None = None,
    overlap: int | None = None,
    python: bool = True,
    dry: bool = False,
    page: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
    settings: RunSettings | None = None,
    **keywords: Unpack[IsolatedKeywords],
) -> Outcome:
    """Run a program of others, or a kernel (``kernel.py:name``), in child processes with limits.

    A kernel is run in a process that may write nothing but a temporary folder, as far as the
    system can forbid it, and never sees the values of its inputs, which are arrays by name: it
    becomes a program, and that is run in a second process, where no Python of others is.
    ``arguments`` are its others, as Python writes them; ``lnc``, ``dma``, ``hoist`` and
    ``overlap`` are as for :func:`nasm.nki.trace`. Unless ``python`` is true, or with
    ``files=False``, kernels are refused. With ``dry`` it is run without values first, and what that
    shows is apart in the Outcome: no input can be read off it. With ``page`` the outcome has the
    page of the run, for which it is profiled. ``cancelled`` is asked meanwhile whether to end the
    processes. The other keywords are described at :class:`nasm.RunSettings`. However it ends, that
    is an Outcome; raises Failure only if what is given here cannot be used, such as a file that is
    not there, and Cancelled.
    """
    chosen = with_keywords(settings, keywords)
    chosen = replace(chosen, profile=chosen.profile or page, python=False)
    case = IsolatedCase(inputs, chosen, dry, page)
    how = (limits or Limits(), arguments, lnc, dma, hoist, overlap, python, cancelled)
    (made,) = isolated_cases(program, [case], *how)
    return made


@dataclass(frozen=True, slots=True)
class IsolatedCase:
    """What a program is run with, and how; see :func:`isolated`."""

    inputs: Inputs | None
    settings: RunSettings
    dry: bool = False
    page: bool = False


def isolated_cases(
    program: Text | Program,
    cases: Sequence[IsolatedCase],
    limits: Limits,
    arguments: Mapping[str, str] | None = None,
    lnc: int | None = None,
    dma: str = USUAL,
    hoist: bool | None = None,
    overlap: int | None = None,
    python: bool = True,
    cancelled: Callable[[], bool] = lambda: False,
    perform: Perform = process.run,
) -> tuple[Outcome, ...]:
    """Run a program, or a kernel, with several cases in the same processes; see :func:`isolated`.

    The limits are for all of them together: if a process ends early, each has that outcome.
    ``perform`` does the work: a process of its own, or ``here.run``.
    """
    path = isinstance(program, str | Path) and "\n" not in str(program)
    name = str(program) if path else getattr(program, "name", "<program>")
    named = split(name) if path else None
    if named is None:
        text = _given(program)
        works = [RunWork(name, text, None, c.inputs, c.settings, c.page, c.dry) for c in cases]
        return _Run(name, limits, cancelled, perform).go([], works)
    called = os.path.abspath(named[0]) + f":{named[1]}" * bool(named[1])
    traces, works = [], []
    for case in cases:
        permitted(name, python and case.settings.files is not False)
        chosen = replace(case.settings, target=case.settings.target or default_target())
        given = _arrays(case.inputs)
        of = {each: (array.shape, array.dtype) for each, array in given.items()}
        words = dict(arguments or {})
        traces.append(TraceWork(called, of, words, lnc, dma, hoist, overlap, chosen))
        works.append(RunWork(name, None, None, given, chosen, case.page, case.dry))
    return _Run(name, limits, cancelled, perform).go(traces, works)


def _arrays(inputs: Inputs | None) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays that a kernel is called with, by name; raises Failure."""
    if inputs is None:
        return {}
    if not isinstance(inputs, Mapping):
        message = "the inputs of a kernel are arrays by name"
        raise Failure(Problem("E0803", message))
    return {name: np.asarray(value) for name, value in inputs.items()}


def _given(program: Text | Program) -> Given:
    """A program as bytes or as a text; raises Failure."""
    if isinstance(program, Program):
        return ObjectFile("<program>", written(program))
    return program_of(program)


class _Run:
    """One run of a program of others, in one process or two."""

    def __init__(
        self, name: str, limits: Limits, cancelled: Callable[[], bool], perform: Perform
    ) -> None:
        self.name, self.limits, self.cancelled, self.perform = name, limits, cancelled, perform
        self.began = time.monotonic()
        self.protections: tuple[Protection, ...] = ()
        self.printed = {"stdout": Printed(), "stderr": Printed()}

    def go(self, traces: Sequence[TraceWork], works: Sequence[RunWork]) -> tuple[Outcome, ...]:
        """The kernel for each case if it is one, then each program."""
        made: list[bytes | Outcome] = []
        with tempfile.TemporaryDirectory(prefix="nasm-", ignore_cleanup_errors=True) as folder:
            if traces:
                made = self.traced(traces, folder)
                programs = zip(works, made, strict=True)
                works = [replace(w, traced=of) for w, of in programs if isinstance(of, bytes)]
            done = iter(self.step(works, folder) if works else ())
        found = [each if isinstance(each, Outcome) else next(done) for each in made] or [*done]
        return tuple(each if isinstance(each, Outcome) else self.ran(each) for each in found)

    def ran(self, answer: bytes) -> Outcome:
        """The outcome of a run: of a process in which only nasm itself was run."""
        ran: Ran = pickle.loads(answer)
        return self.outcome("ran", exit_code=0, **ran._asdict())

    def traced(self, traces: Sequence[TraceWork], folder: str) -> list[bytes | Outcome]:
        """What a kernel becomes in each case: made once for cases of the same shapes."""
        different = [each for n, each in enumerate(traces) if each not in traces[:n]]
        made = self.step(different, folder)
        return [made[different.index(each)] for each in traces]

    def step(self, works: Sequence[Work], folder: str) -> list[bytes | Outcome]:
        """What a process made of each work, or what became of it instead."""
        word = secrets.token_bytes(16)
        until = self.began + self.limits.deadline
        path = os.path.realpath(folder)
        ended = self.perform(works, self.limits, until, path, word, self.cancelled)
        first = works[0]
        if isinstance(first, TraceWork) or first.traced is None:
            self.note(ended)
        answers = list(ended.answer(word))
        if answers and answers[0][0] == PROTECTED and not self.protections:
            self.protections = tuple(Protection(**each) for each in json.loads(answers[0][1]))
        answers = [(kind, content) for kind, content in answers if kind != PROTECTED]
        if ended.status or ended.late or len(answers) != len(works):
            return [self.ended(ended)] * len(works)
        return [
            content if kind == MADE else self.refused(work, content)
            for work, (kind, content) in zip(works, answers, strict=True)
        ]

    def note(self, ended: Ended) -> None:
        """Keep what it printed."""
        for name, data in ended.printed.items():
            text = data.decode("utf-8", "replace")
            self.printed[name] = Printed(text, ended.left_out[name])

    def refused(self, work: Work, content: bytes) -> Outcome:
        """A process reports errors: in JSON if it ran Python of others, else pickled."""
        problems: tuple[Problem, ...]
        if isinstance(work, TraceWork):
            try:
                text = unpacked(content)
            except ValueError as error:
                problem = Problem(RAISED, f"what the kernel's process sent is no answer: {error}")
                return self.outcome("exited", (problem,), exit_code=0)
            own = split(work.kernel)
            problems = tuple(self.problem(each, own and own[0]) for each in text)
        else:
            problems = pickle.loads(content)
        of_memory = all(problem.code == OF_MEMORY.code for problem in problems)
        return self.outcome("memory" if of_memory else "refused", problems, exit_code=0)

    def problem(self, text: Mapping[str, Any], kernel: str | None) -> Problem:
        """A problem at its place; of the kernel's process no line of another file is shown."""
        file, line = text["file"], text["line"]
        span = line_of(file, line) if file is not None and file == kernel else None
        message = text["message"]
        if span is None and file is not None:
            message += f" ({file}:{line})"
        return Problem(text["code"], message, span, text["hint"])

    def ended(self, ended: Ended) -> Outcome:
        """A process ended without an answer."""
        code = ended.status
        if ended.late:
            message = f"it was still running after {self.limits.deadline:g} s"
            return self.outcome("deadline", (Problem("E0516", message),), signal=signal.SIGKILL)
        if ended.flooded:
            problem = Problem(RAISED, "what its process made of it is too large")
            return self.outcome("output", (problem,), signal=signal.SIGKILL)
        if code == -signal.SIGXCPU or (code == -signal.SIGKILL and ended.cpu >= self.limits.cpu):
            problem = Problem("E0516", f"it took {self.limits.cpu:g} s of processor time")
            return self.outcome("cpu", (problem,), signal=-code)
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            problem = Problem(RAISED, f"its process was ended by the signal {name}")
            return self.outcome("signal", (problem,), signal=-code)
        problem = Problem(RAISED, f"its process exited with {code}, and without a result")
        return self.outcome("exited", (problem,), exit_code=code)

    def outcome(self, how: How, problems: tuple[Problem, ...] = (), **more: Any) -> Outcome:
        """All that is known."""
        took = time.monotonic() - self.began
        return Outcome(
            self.name,
            how,
            problems,
            protections=self.protections,
            seconds=took,
            stdout=self.printed["stdout"],
            stderr=self.printed["stderr"],
            **more,
        )
