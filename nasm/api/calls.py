"""Assemble, run, check and compare programs, each by a call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast

import numpy as np

from nasm.analysis import summary
from nasm.base import deadlines, host_memory
from nasm.base.drawing import Drawn
from nasm.base.problems import Failure, Problem
from nasm.base.records import replace
from nasm.base.source_files import Text, program_of
from nasm.debugger.session import Session
from nasm.machine.inputs import Inputs
from nasm.machine.outlines import NoValues
from nasm.machine.records import MOST_EXAMINED, RunReport, Status
from nasm.program.program import Program
from nasm.program.ranks import with_ranks
from nasm.ranks.examining import examine_ranks
from nasm.ranks.records import RanksReport
from nasm.runs.check import Examination
from nasm.runs.settings import (
    AssembleKeywords,
    CheckKeywords,
    RunKeywords,
    RunSettings,
    with_keywords,
    with_settings,
)

if TYPE_CHECKING:  # most programs are compared with nothing
    from nasm.language.objects import Loaded
    from nasm.runs.equal.records import Equality
    from nasm.workers.places import ActorPlace, Executor

T = TypeVar("T")


@with_settings(AssembleKeywords)
def assemble(
    text_or_path: Text, *, settings: RunSettings | None = None, **keywords: Unpack[AssembleKeywords]
) -> Program:
    """Assemble a text or a file; raises :class:`~nasm.base.problems.Failure` with every problem.

    An object file is loaded, for what it was assembled for. The keywords are described at
    :class:`nasm.RunSettings`.
    """
    chosen = with_keywords(settings, keywords)
    return limited(chosen, lambda _: chosen.assembled(program_of(text_or_path)).program)


def limited(chosen: RunSettings, call: Callable[[deadlines.Deadline], T]) -> T:
    """What the call returns within its limits; raises Failure where it is out of time."""
    deadline = deadlines.Deadline(chosen.deadline)
    try:
        with host_memory.limited(chosen.memory):
            return deadline.limit(lambda: call(deadline))
    except deadlines.OutOfTime:
        if not deadline.passed:  # it is that of a call around this one
            raise
        message = f"the time of deadline= ({chosen.deadline:g} s) was up before there was a result"
        raise Failure(Problem(LATE, message, None, MORE_TIME)) from None


LATE, MORE_TIME = "E0516", "allow more with deadline="


class Result(Drawn):
    """A finished run: its report, its outputs by name, and the session to look further.

    The session stays in the process that ran the program: a result that was pickled has none. A run
    of several ranks has a report of all, that of each in ``ranks``, outputs with a first axis of
    ranks, and no session.
    """

    def __init__(
        self,
        report: RunReport,
        outputs: dict[str, np.ndarray[Any, Any]] | None,
        session: Session | None = None,
        ranks: RanksReport | None = None,
    ) -> None:
        self.report, self._outputs, self._session = report, outputs, session
        self.ranks = ranks

    @property
    def outputs(self) -> dict[str, np.ndarray[Any, Any]]:
        """The outputs by name; raises Failure for a run without values."""
        if self._outputs is None:
            raise NoValues.of("the outputs")
        return self._outputs

    @property
    def session(self) -> Session:
        """The session that ran it, for looking further."""
        if self._session is None:
            if self.ranks is not None:
                raise RuntimeError("a run of several ranks has no session")
            raise RuntimeError("a pickled result has no session: run the program in this process")
        return self._session

    @property
    def ok(self) -> bool:
        """Whether everything the program promised holds."""
        return self.report.ok

    def __copy__(self) -> Result:
        return Result(self.report, self._outputs, self._session, self.ranks)

    def __reduce__(self) -> tuple[Any, ...]:
        return Result, (self.report, self._outputs, None, self.ranks)

    def __repr__(self) -> str:
        return repr(self.report)


@with_settings(RunKeywords)
def run(
    program: Text | Program,
    inputs: Inputs | None = None,
    *,
    executor: Executor = None,
    settings: RunSettings | None = None,
    **keywords: Unpack[RunKeywords],
) -> Result:
    """Run a program, a text or a file with numpy arrays (ml_dtypes included) as inputs.

    Arrays have the tensors' shapes and dtypes; outputs come back the same way. Inputs may also be
    the path of a .npz file, with every array by its tensor's name, or of a folder with ``NAME.npy``
    of some inputs. The keywords are described at :class:`nasm.RunSettings`. Raises Failure if it
    does not assemble; what goes wrong while it runs is in the report.

    ``executor`` says where the ranks of a program with several live, or groups of the tiles of one
    that has several of these: in so many processes, in the workers of a Dask cluster by its address
    (``"local"`` starts one), or with ``"mpi"`` in the processes that mpiexec started, which all get
    the result. By default they are in this process.
    """
    return run_watched(program, inputs, with_keywords(settings, keywords), executor=executor)


Watch = Callable[[Session], None]
"""Is given a session before its first tick."""


def run_watched(
    program: Text | Program,
    inputs: Inputs | None,
    chosen: RunSettings,
    watch: Watch | None = None,
    executor: Executor = None,
) -> Result:
    """What :func:`run` does, of a session that something else may watch as well."""

    def call(clock: deadlines.Deadline) -> Result:
        made = chosen.loaded(program)
        assembled = with_ranks(made.program, chosen.ranks)
        if assembled.ranks > 1 or chosen.ranks is not None:
            called = made.source.name if made.source else ""
            settings = chosen.after_loading(program)
            return _elsewhere(
                executor,
                lambda place: _run_ranks(assembled, inputs, settings, clock, called, place),
            )
        if executor is not None and watch is None and assembled.cores > 1 and assembled.tiles:
            return _elsewhere(
                executor, lambda place: _run_tiles(made, inputs, program, chosen, clock, place)
            )
        session = _session(made, assembled, inputs, program, chosen)
        if watch is not None:
            watch(session)
        with clock.on_deadline(session.halt):
            report = session.run(
                max_cycles=chosen.max_cycles,
                max_instructions=chosen.max_instructions,
                progress=chosen.progress,
                hashes=chosen.hashes,
            )
        if clock.passed and session.status is Status.RUNNING:
            report = _late(session, clock.seconds)
        return Result(report, session.outputs() if chosen.values else None, session)

    return limited(chosen, call)


def _elsewhere(executor: Executor, run: Callable[[ActorPlace], Result]) -> Result:
    """The result of a run whose parts live elsewhere: also in a process that only served others."""
    from nasm.workers.places import place_of  # which most programs do not need

    with closing(place_of(executor)) as place:
        if not place.served:
            try:
                place.said = run(place)
            except Failure as failure:
                place.said = failure
                raise
        if isinstance(place.said, Failure):
            raise place.said
        return cast("Result", place.said)


def _run_ranks(
    program: Program,
    inputs: Inputs | None,
    chosen: RunSettings,
    clock: deadlines.Deadline,
    called: str,
    place: ActorPlace,
) -> Result:
    """What :func:`run` does of a program with several ranks."""
    from nasm.ranks.runs import RanksRun  # which most programs do not need

    settings = replace(chosen, progress=None)
    run = RanksRun(program, inputs, settings, called=called, place=place)
    with clock.on_deadline(run.halt):
        report = run.run()
    outputs, whole = run.outputs() if chosen.values else None, report.whole
    if clock.passed and report.status is Status.RUNNING:
        report = run.stopped(report, Status.TIMEOUT)
        whole = replace(report.whole, problems=(*whole.problems, _out_of_time(clock)))
    return Result(whole, outputs, None, report)


def _run_tiles(
    made: Loaded,
    inputs: Inputs | None,
    program: Text | Program,
    chosen: RunSettings,
    clock: deadlines.Deadline,
    place: ActorPlace,
) -> Result:
    """What :func:`run` does of a program whose tiles live elsewhere."""
    from nasm.tiles.runs import TilesRun  # which most programs do not need

    session = _session(made, made.program, inputs, program, chosen, reruns=True)
    run = TilesRun(session.execution, place)
    with clock.on_deadline(run.halt):
        report = run.run(
            max_cycles=chosen.max_cycles,
            max_instructions=chosen.max_instructions,
            progress=chosen.progress,
            hashes=chosen.hashes,
        )
    if clock.passed and report.status is Status.RUNNING:
        late = (*report.problems, _out_of_time(clock))
        report = replace(report, status=Status.TIMEOUT, problems=late)
    return Result(report, session.outputs() if chosen.values else None, session)


def _session(
    made: Loaded,
    program: Program,
    inputs: Inputs | None,
    given: Text | Program,
    chosen: RunSettings,
    **changed: Any,
) -> Session:
    """A session of a program as it was loaded, or for other ranks, which keeps no past."""
    settings = replace(chosen.after_loading(given), keep=0, **changed)
    session = Session(program, inputs, settings=settings)
    session.execution.source, session.execution.assembly = made.source, chosen
    return session


def _out_of_time(clock: deadlines.Deadline) -> Problem:
    return Problem(LATE, f"still running after {clock.seconds:g} s", None, MORE_TIME)


def _late(session: Session, seconds: float | None) -> RunReport:
    """The report of a run whose time was up between two events."""
    session.status = Status.TIMEOUT
    span, where = summary.standing(session.machine)
    message = f"still running after {seconds:g} s: {where}"
    report = session.report(hashes=False)
    return replace(report, problems=(*report.problems, Problem(LATE, message, span, MORE_TIME)))


@with_settings(CheckKeywords)
def check(
    program: Text | Program,
    *,
    max_instructions: int | None = MOST_EXAMINED,
    relaxed: bool = False,
    why: tuple[int, int] | None = None,
    waits: bool = False,
    settings: RunSettings | None = None,
    **keywords: Unpack[CheckKeywords],
) -> Examination:
    """Report the errors of a program that need no values to find, and what it holds when.

    It is followed for ``max_instructions``; None is no limit. With ``relaxed`` there is a list of
    the reads that nothing would order if engines did not wait for their own earlier results;
    ``why=(12, 27)`` asks why these two lines are in order, or what is missing; ``waits`` which
    waits could go, wait for less, or be elsewhere. The other keywords are described at
    :class:`nasm.RunSettings`.
    Raises Failure if it does not assemble, or if a line that is asked for has no instruction; all
    else that is wrong is in what it returns.
    """
    chosen = with_keywords(settings, keywords)

    def call(_: deadlines.Deadline) -> Examination:
        assembled = with_ranks(_assembled(program, chosen), chosen.ranks)
        return examine_ranks(
            assembled,
            max_instructions=max_instructions,
            relaxed=relaxed,
            why=why,
            waits=waits,
            settings=chosen,
        )

    return limited(chosen, call)


@with_settings(AssembleKeywords)
def equal(
    a: Text | Program,
    b: Text | Program,
    inputs: Inputs | None = None,
    *,
    tries: int = 2,
    max_instructions: int | None = MOST_EXAMINED,
    settings: RunSettings | None = None,
    **keywords: Unpack[AssembleKeywords],
) -> Equality:
    """Whether two programs leave the same bits in their outputs for every input.

    Each is followed for ``max_instructions`` without a value being computed (None: no limit), and
    its outputs are compared by what they were computed of. If they are not proved equal both are
    run on ``inputs``, or those that ``a`` declares, and on ``tries`` sets of random ones: what
    differs then is in the answer, which is true if they are equal. The other keywords are described
    at :class:`nasm.RunSettings`, and are for both texts. Raises Failure if one does not assemble.
    """
    from nasm.runs import equal as comparison

    chosen = with_keywords(settings, keywords)

    def call(_: deadlines.Deadline) -> Equality:
        made = [_assembled(program, chosen) for program in (a, b)]
        return comparison.equal(
            *made, inputs=inputs, tries=tries, max_instructions=max_instructions
        )

    return limited(chosen, call)


def _assembled(program: Text | Program, chosen: RunSettings) -> Program:
    """A program as it is given, or a text assembled; raises Failure."""
    if isinstance(program, Program):
        chosen.refuse_text()
        return program
    return chosen.assembled(program_of(program)).program


# ---------------------------------------------------------------- building
