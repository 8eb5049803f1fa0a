"""A kernel run on the simulated machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nasm.api import Result, limited
from nasm.api import run as run_program
from nasm.base.problems import Failure, Problem
from nasm.isa.timing import TimingGiven
from nasm.machine.records import MOST_INSTRUCTIONS, RunReport, Status
from nasm.nki.arguments import Returned, filled
from nasm.nki.engines import USUAL
from nasm.nki.frameworks import UNFIT, change, changeable, given_back
from nasm.nki.installing import installed
from nasm.nki.jit import Kernel, launch_by
from nasm.nki.kernel import Traced, trace

__all__ = ["KernelResult", "installed", "run"]


@dataclass(frozen=True, slots=True)
class KernelResult:
    """What a kernel returned, as arrays, with the run behind it; None of a run without values."""

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


def run(
    kernel: Callable[..., Any] | Traced,
    *args: Any,
    lnc: int | None = None,
    target: str | None = None,
    dma: str = USUAL,
    options: Mapping[str, object] | None = None,
    timing: TimingGiven | None = None,
    max_cycles: int | None = None,
    max_instructions: int | None = MOST_INSTRUCTIONS,
    values: bool = True,
    profile: bool = False,
    strict: bool = False,
    allow: Iterable[str] = (),
    checked: bool = True,
    deadline: float | None = None,
    memory: int | None = None,
    **kwargs: Any,
) -> KernelResult:
    """Run a kernel with arrays: what it returns, and the report.

    Up to ``timing`` keywords are as for :func:`trace`, up to ``memory`` as for :func:`nasm.run`;
    all else is the kernel's. What was traced before is run with the arrays that it was traced with.
    Results are arrays of the framework of the arguments; arguments that the kernel writes are
    changed. Without ``values`` there are none. Raises Failure if the run does not get to its end,
    or tracing and run to theirs within the limits; what else is wrong is in the report.
    """
    with limited(deadline, memory):
        if isinstance(kernel, Traced):
            traced = kernel
        else:
            more: dict[str, Any] = {"options": options, "timing": timing, **kwargs}
            traced = trace(kernel, *args, lnc=lnc, target=target, dma=dma, **more)
        if values:
            fixed(traced)
        result = run_program(
            traced.program,
            dict(traced.inputs),
            max_cycles=max_cycles,
            max_instructions=max_instructions,
            values=values,
            profile=profile,
            strict=strict,
            allow=allow,
            checked=checked,
        )
    return KernelResult(finished(traced, result) if values else None, result, traced)


def fixed(traced: Traced) -> None:
    """Refuse arguments that the kernel writes, and nobody can; raises Failure."""
    for name in traced.changed:
        if not changeable(traced.given[name]):
            said = f"the kernel writes its argument {name}, and that array cannot be changed"
            span = traced.program.tensors[name].span
            raise Failure(Problem(UNFIT, said, span, "hand over a copy that can"))


def finished(traced: Traced, result: Result) -> Any:
    """What a kernel has returned; changes the arguments that it wrote. Raises Failure."""
    if result.report.status is not Status.FINISHED:
        raise Failure(result.report.problems)
    outputs = result.outputs
    for name in traced.changed:
        change(traced.given[name], outputs[name])
    return filled(traced.returned, lambda part: _given_back(part, outputs, traced.home))


def _given_back(part: Returned, outputs: Mapping[str, Any], home: str) -> Any:
    return given_back(part.of(outputs[part.name]), home)


def _plainly(kernel: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    return run(kernel, *args, **kwargs).outputs


launch_by(_plainly)
