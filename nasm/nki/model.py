"""A model: several kernels one after the other, with tensors that stay in HBM between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import IO, Any, Self, Unpack

import numpy as np

from nasm.analysis.profile.records import Profile
from nasm.analysis.profile.several import together
from nasm.api import Result, limited
from nasm.base.deadlines import Deadline
from nasm.base.drawing import views
from nasm.base.problems import Failure, Problem, counted
from nasm.base.records import dataclass, replace
from nasm.debugger.session import Session
from nasm.machine.records import RunReport
from nasm.nki.arguments import Returned, filled
from nasm.nki.by_rank import ByRank, rank_parts
from nasm.nki.engines import USUAL
from nasm.nki.errors import MISUSED
from nasm.nki.frameworks import UNFIT, Array, framework
from nasm.nki.hbm_tensors import HbmTensor
from nasm.nki.jit import Kernel, launching, name_of
from nasm.nki.kernel import Traced
from nasm.nki.kernel_run import ended, finished, started, traced_as_set
from nasm.nki.model_report import HostCopy, Launch, ModelReport, total
from nasm.runs.settings import KernelKeywords, RunSettings, with_keywords, with_settings

ONE_RANK = "E0823"


@dataclass(frozen=True, slots=True)
class ScriptSettings:
    """What a command says of the models that its script makes, and what it does with reports."""

    settings: RunSettings
    note: Callable[[RunReport], None]


_AROUND: ContextVar[ScriptSettings | None] = ContextVar("nasm.nki.model", default=None)


@contextmanager
def surrounded(by: ScriptSettings) -> Iterator[None]:
    """Let models that are made within it have these settings, and report each launch."""
    before = _AROUND.set(by)
    try:
        yield
    finally:
        _AROUND.reset(before)


class Model:
    """Several kernels on one device: what they return stays in HBM, until the host asks for it.

    Within ``with nasm.nki.Model() as model:`` each call of a kernel is a launch, and returns an
    :class:`HbmTensor`, which other kernels take. ``numpy.asarray`` of one copies it to the host,
    where a model may compute something itself; :meth:`put` copies an array to HBM once, and an
    array that a kernel is called with is copied for that launch. The ``report`` has the time of
    every launch, and what was copied when. Copies, and what the host computes, take no time in it.

    With ``ranks`` every kernel runs on so many, each with its own HBM: what it returns is a
    :class:`ByRank` of a tensor for each, and so is what :meth:`put` returns. A launch begins when
    all ranks have ended the one before. There is no profile and no timeline then.

    ``dma`` and ``hoist`` are as for :func:`trace`. With ``profile`` there is a :meth:`profile` of
    all launches; ``timeline`` is an open binary file, which gets a trace of all of them for
    Perfetto. The keywords are described at :class:`nasm.RunSettings`; limits are those of a launch.
    """

    @with_settings(KernelKeywords)
    def __init__(
        self,
        name: str = "model",
        *,
        dma: str = USUAL,
        hoist: bool | None = None,
        timeline: IO[bytes] | None = None,
        settings: RunSettings | None = None,
        **keywords: Unpack[KernelKeywords],
    ) -> None:
        self.name = name
        self._around = _AROUND.get()
        if settings is None and self._around is not None:
            settings = self._around.settings
        self._settings = with_keywords(settings, keywords)
        if self._settings.ranks is not None and (self._settings.profile or timeline is not None):
            message = f"a {'timeline' if timeline else 'profile'} of a model is of one rank"
            hint = "its report has the time of each rank, and what they waited for"
            raise Failure(Problem(ONE_RANK, message, None, hint))
        self._how = {"dma": dma, "hoist": hoist}
        self._launches: list[Launch] = []
        self._copies: list[HostCopy] = []
        self._profiles: list[Profile] = []
        self._timeline = None if timeline is None else views().launches(timeline)
        self._within = ExitStack()

    def __enter__(self) -> Self:
        if self._timeline is not None:
            self._within.callback(self._timeline.close)
        self._within.enter_context(launching(self._launch))
        return self

    def __exit__(self, *raised: object) -> None:
        self._within.close()

    # -- what it did

    @property
    def report(self) -> ModelReport:
        """What ran up to now; raises Failure if nothing did."""
        self._some()
        reports = [launch.report for launch in self._launches]
        return ModelReport(tuple(self._launches), tuple(self._copies), total(self.name, reports))

    def profile(self) -> Profile:
        """Where the time of all launches went; raises Failure without ``profile=True``."""
        self._some()
        if not self._settings.profile:
            hint = "make it with Model(profile=True)"
            raise Failure(Problem("E0815", "the model keeps no profile", None, hint))
        return together(self.name, self._profiles, self._program)

    def _some(self) -> None:
        if not self._launches:
            raise Failure(Problem(MISUSED, f"no kernel of {self.name} has been called"))

    # -- tensors

    def put(self, array: Any, name: str = "tensor") -> Any:
        """Copy an array to HBM, where it stays; it changes no more with the array.

        With ``ranks`` each gets a copy, or of a :class:`ByRank` the one that is for it.
        """
        ranks = self._settings.ranks
        if isinstance(array, ByRank):
            if len(array) != ranks:
                message = f"{array!r} arrays in a model of {counted(ranks or 1, 'rank')}"
                raise Failure(Problem(UNFIT, message, None, "wanted one for each"))
            parts = [np.array(part) for part in array.parts]
        else:
            parts = [np.array(array)] * (ranks or 1)
        if ranks is None:
            return self._put(parts[0], name, None)
        return ByRank([self._put(part, name, rank) for rank, part in enumerate(parts)])

    def _put(self, held: Array, name: str, rank: int | None) -> HbmTensor:
        self._copied(name, held.nbytes, back=False)
        return HbmTensor(name, held, self._read, rank=rank)

    def _read(self, tensor: HbmTensor) -> None:
        self._copied(tensor.name, tensor.nbytes, back=True)

    def _copied(self, name: str, size: int, back: bool) -> None:
        self._copies.append(HostCopy(name, size, len(self._launches), back))

    # -- launches

    def _launch(self, kernel: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call of a kernel: run, noted, and what it returns as tensors in HBM."""
        chosen, name = self._settings, name_of(kernel)

        def call(_: Deadline) -> tuple[Traced, Result]:
            traced = traced_as_set(kernel, args, kwargs, chosen, **self._how)
            _at_home(traced)
            self._given(traced, back=False)
            return traced, self._started(name, traced)

        traced, result = limited(chosen, call)
        kernel.ran(result.report.microseconds)
        made = self._made(traced, result)
        self._launches.append(self._next(name, result))
        if self._around is not None:
            self._around.note(self._launches[-1].report)
        self._given(traced, back=True)
        if chosen.profile:
            self._profiles.append(replace(result.session.profile(), program=name))
            self._program = traced.program
        return made

    def _started(self, name: str, traced: Traced) -> Result:
        if self._timeline is None:
            return started(traced, self._settings)
        generation = traced.program.generation
        timeline, at = self._timeline, self._now()

        def watch(session: Session) -> None:
            timeline.begin(session.execution, name, at, generation.entry_and_exit or 0.0)

        result = started(traced, self._settings, watch)
        timeline.end(result.report.microseconds)
        return result

    def _next(self, name: str, result: Result) -> Launch:
        report = replace(result.report, program=name)
        return Launch(name, self._now(), report.entry_and_exit or 0.0, report, result.ranks)

    def _now(self) -> float:
        return self._launches[-1].end if self._launches else 0.0

    def _given(self, traced: Traced, back: bool) -> None:
        """Note which arguments were copied from the host, or back to it as the kernel left them."""
        for name in traced.changed if back else traced.given:
            parts, held = rank_parts(traced.given[name], traced.ranks), traced.inputs[name]
            size = held.nbytes // (len(parts) if isinstance(traced.given[name], ByRank) else 1)
            copied = sum(size for part in parts if framework(part) != "hbm")
            if copied:
                self._copied(name, copied, back)

    def _made(self, traced: Traced, result: Result) -> Any:
        """What a kernel returned, in HBM; of several ranks a tensor for each."""
        values, ranks = self._settings.values, traced.ranks
        if values:
            outputs = finished(traced, result)
        else:
            ended(result)

        def held(part: Returned, rank: int | None) -> HbmTensor:
            made = _nothing(part)
            if values:
                whole = outputs[part.name]
                made = part.of(whole if rank is None else whole[rank])
            return HbmTensor(part.name, made, self._read, values, rank)

        if ranks is None:
            return filled(traced.returned, lambda part: held(part, None))
        return filled(
            traced.returned, lambda part: ByRank([held(part, rank) for rank in range(ranks)])
        )


def _at_home(traced: Traced) -> None:
    """Refuse a tensor that a rank is given and another one has; raises Failure."""
    for name, value in traced.given.items():
        for rank, part in enumerate(rank_parts(value, traced.ranks)):
            if isinstance(part, HbmTensor) and part.rank not in (None, rank):
                message = f"argument {name} of rank {rank} is {part!r}"
                hint = "exchange it in a collective, or copy it: numpy.asarray(…)"
                raise Failure(Problem(UNFIT, message, traced.program.tensors[name].span, hint))


def _nothing(part: Returned) -> Array:
    """An array of zeros that takes no memory."""
    return np.broadcast_to(np.zeros((), part.view.dtype.numpy), part.view.shape)
