"""Who answers: processes that read texts, and runs, of which so many are made at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as Late
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, NamedTuple

from nasm.apps.play.answers import Asked, answer
from nasm.apps.play.exercises import ShownExercises
from nasm.apps.play.program_runs import MOST_INSTRUCTIONS, program, shown
from nasm.base.problems import Refused
from nasm.isolation.entry import isolated
from nasm.isolation.limits import Limits
from nasm.workers.pools import Processes

PATIENCE = 20.0
"""Seconds that the answer to a question may take, its turn included."""

LIMITS = Limits(cpu=30, deadline=60.0, memory=3 << 30)
"""What a run may take of this computer."""

EMPTY = ".target trn2\n"

MOST_WAITING = 256
"""Runs that wait for their turn."""


class Busy(Exception):
    """More is asked for than can be done."""


class EditorQuestion(NamedTuple):
    """What a process is asked."""

    what: str
    asked: Asked
    folder: str | None


def _answered(question: EditorQuestion, _: str) -> dict[str, Any] | Refused:
    """In a process: an answer, or why there is none, which not every executor can raise."""
    try:
        return answer(*question)
    except Refused as reason:
        return reason


class Workers:
    """Answers questions and makes runs, ``jobs`` of each at once.

    With ``python`` solutions in Python are judged as well.
    """

    def __init__(self, jobs: int, folder: str | None, python: bool = False) -> None:
        self.jobs, self.folder = jobs, folder
        self.exercises = ShownExercises(python=python)
        self._pool = Processes(jobs)
        self._making = threading.Lock()
        self._turn = threading.Semaphore(jobs)
        self._waiting = 0

    def answer(self, what: str, asked: Asked) -> dict[str, Any]:
        """The answer to a question about a text; raises Refused, and Busy if none comes."""
        for _ in range(2):
            with self._making:
                pool = self._pool
                future = pool.submit(_answered, EditorQuestion(what, asked, self.folder))
            try:
                found = future.result(PATIENCE)
            except BrokenProcessPool:
                self._renew(pool, now=False)
                continue
            except Late:
                if not future.cancel():
                    self._renew(pool, now=True)
                raise Busy from None
            if isinstance(found, Refused):
                raise found
            return dict(found)
        raise Busy

    def _renew(self, pool: Processes, now: bool) -> None:
        """Begin with other processes, unless another request has done it."""
        with self._making:
            if self._pool is not pool:
                return
            self._pool = Processes(self.jobs)
        pool.close(now)

    def run(self, asked: Asked, cancelled: Callable[[], bool]) -> dict[str, Any]:
        """Run a text when its turn comes; raises Refused, Busy and Cancelled."""
        with self._in_turn():
            outcome = isolated(
                program(asked),
                limits=LIMITS,
                page=True,
                cancelled=cancelled,
                python=False,
                files=False if self.folder is None else self.folder,
                max_instructions=MOST_INSTRUCTIONS,
            )
        return shown(asked, outcome.report, outcome.page, outcome.problems)

    def unprotected(self) -> str:
        """A sentence about what the system cannot forbid to a solution; empty if nothing."""
        return isolated(EMPTY, limits=LIMITS, python=False, files=False).unprotected

    def judge(self, asked: Asked) -> dict[str, Any]:
        """Judge a solution when its turn comes; raises Refused and Busy."""
        with self._in_turn():
            return self.exercises.judged(asked)

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        with self._making:
            if self._waiting >= MOST_WAITING:
                raise Busy
            self._waiting += 1
        try:
            with self._turn:
                yield
        finally:
            with self._making:
                self._waiting -= 1

    def close(self) -> None:
        """End the processes."""
        self._pool.close(now=True)
