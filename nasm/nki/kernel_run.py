"""A kernel run on the simulated machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nasm.api import Result, Watch, limited, run_watched
from nasm.base.deadlines import Deadline
from nasm.base.problems import Failure, Problem
from nasm.base.records import dataclass, replace
from nasm.machine.records import RunReport, Status
from nasm.nki.arguments import Returned, filled
from nasm.nki.by_rank import can_change, change_by_rank, each_rank, rank_parts
from nasm.nki.engines import USUAL
from nasm.nki.frameworks import UNFIT, Array, given_back
from nasm.nki.installing import installed
from nasm.nki.jax_calls import called_back
from nasm.nki.jit import Kernel, defer_by, launch_by
from nasm.nki.kernel import Traced, own_keywords, trace
from nasm.nki.simulator import ran
from nasm.runs.settings import KernelKeywords, RunSettings, with_keywords, with_settings

__all__ = ["KernelResult", "installed", "run"]


@dataclass(frozen=True, slots=True)
class KernelResult:
    """What a kernel returned, as arrays, with its run; None of a run without values."""

    outputs: Any
    result: Result
    traced: Traced

    @property
    def report(self) -> RunReport:
        """The report of the run."""
        return self.result.report

    @property
    def ok(self) -> bool:
        """Whether the run ended, and found nothing wrong."""
        return self.result.ok


@with_settings(KernelKeywords, others=True)
def run(
    kernel: Callable[..., Any] | Traced,
    *args: Any,
    lnc: int | None = None,
    dma: str = USUAL,
    hoist: bool | None = None,
    overlap: int | None = None,
    kernel_args: Mapping[str, Any] | None = None,
    settings: RunSettings | None = None,
    **kwargs: Any,
) -> KernelResult:
    """Run a kernel with arrays: what it returns, and the report.

    ``lnc``, ``dma``, ``hoist`` and ``overlap`` are as for :func:`trace`; the keywords up to
    ``max_instructions`` are described at :class:`nasm.RunSettings`, and all else is the kernel's.
    What the kernel has of the same names is passed in ``kernel_args``, as in
    ``kernel_args={"values": v}``. What was traced before is run with the arrays that it was traced
    with.
    Results are arrays of the framework of the arguments; arguments that the kernel writes are
    changed. With ``ranks`` the kernel runs on so many, and ``outputs`` is a list of what each of
    them returned; an argument that is a :class:`ByRank` has an array for each. Without ``values``
    there are no outputs. Raises Failure if the run does not get to its end, or tracing and run to
    theirs within the limits; what else is wrong is in the report.
    """
    ours = {name: kwargs.pop(name) for name in KernelKeywords.__annotations__ if name in kwargs}
    chosen = with_keywords(settings, ours)

    def traced() -> Traced:
        if isinstance(kernel, Traced):
            return kernel
        own = own_keywords(kwargs, kernel_args)
        how = {"lnc": lnc, "dma": dma, "hoist": hoist, "overlap": overlap}
        return traced_as_set(kernel, args, own, chosen, **how)

    return _ran(traced, chosen)


def _ran(
    make: Callable[[], Traced], chosen: RunSettings, watch: Watch | None = None
) -> KernelResult:
    """A kernel traced and run within the limits."""

    def call(_: Deadline) -> tuple[Traced, Result]:
        traced = make()
        return traced, started(traced, chosen, watch)

    traced, result = limited(chosen, call)
    if not chosen.values:
        return KernelResult(None, result, traced)
    return KernelResult(_given_back(traced, finished(traced, result)), result, traced)


def traced_as_set(
    kernel: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    chosen: RunSettings,
    **how: Any,
) -> Traced:
    """A kernel traced for a run with these settings."""
    return trace(
        kernel,
        *args,
        target=chosen.target,
        options=chosen.options,
        timing=chosen.timing,
        ranks=chosen.ranks,
        kernel_args=kwargs,
        **how,
    )


def started(traced: Traced, chosen: RunSettings, watch: Watch | None = None) -> Result:
    """The run of a kernel, whose session is ``watch``ed from its start; raises Failure."""
    if chosen.values:
        fixed(traced)
    inputs = dict(traced.inputs)
    unlimited = replace(chosen.of_assembled(), deadline=None, memory=None)
    how = replace(unlimited, ranks=traced.ranks)
    return run_watched(traced.program, inputs, how, watch)


def fixed(traced: Traced) -> None:
    """Refuse arguments that the kernel writes and that cannot be written; raises Failure."""
    for name in traced.changed:
        given = traced.given[name]
        parts = rank_parts(given, traced.ranks)
        if len({id(part) for part in parts}) < len(parts):
            message = f"the kernel writes its argument {name}, which is one array for several ranks"
            span = traced.program.tensors[name].span
            raise Failure(Problem(UNFIT, message, span, "pass a nasm.nki.ByRank of one for each"))
        if not can_change(given):
            message = f"the kernel writes its argument {name}, and that array cannot be changed"
            span = traced.program.tensors[name].span
            raise Failure(Problem(UNFIT, message, span, "pass a copy that can"))


def finished(traced: Traced, result: Result) -> dict[str, Array]:
    """The outputs of a run by name, each of several ranks with a first axis of them.

    Changes the arguments that the kernel wrote. Raises Failure for a run that did not get there.
    """
    ended(result)
    outputs = result.outputs
    for name in traced.changed:
        change_by_rank(traced.given[name], outputs[name], traced.ranks)
    return outputs


def _given_back(traced: Traced, outputs: Mapping[str, Array]) -> Any:
    """What a kernel has returned, as arrays of the framework that it was called with."""

    def of_rank(mine: Callable[[Array], Array]) -> Any:
        def give(part: Returned) -> Any:
            return given_back(part.of(mine(outputs[part.name])), traced.home)

        return filled(traced.returned, give)

    return each_rank(traced.ranks, of_rank)


def ended(result: Result) -> None:
    """Raise Failure for a run that did not get to its end."""
    if result.report.status is not Status.FINISHED:
        raise Failure(result.report.problems)


def launched(
    kernel: Kernel,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    settings: RunSettings | None = None,
    **how: Any,
) -> KernelResult:
    """The run of a kernel that was called; ``how`` are options of :func:`trace`.

    Its decorator names the target if the settings do not, may ask for no values, and may have the
    run recorded. Without settings its report has no hashes, which are not shown.
    """
    given, recording = settings or RunSettings(hashes=False), kernel.recording()
    target, values = given.target or kernel.target, given.values and kernel.values
    profile = given.profile or recording is not None
    chosen = replace(given, target=target, values=values, profile=profile)
    watch = None if recording is None else recording.watch
    done = _ran(lambda: traced_as_set(kernel, args, kwargs, chosen, **how), chosen, watch)
    if not kernel.values or recording is not None:
        ended(done.result)
    if recording is not None:
        recording.save()
    kernel.ran(done.report.microseconds)
    return done


def _plainly(kernel: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    done = launched(kernel, args, kwargs)
    ran(kernel, done.report.microseconds)
    return done.outputs


launch_by(_plainly)
defer_by(called_back)
