"""A kernel run on the simulated machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nasm.api import Result
from nasm.api import run as run_program
from nasm.nki.kernel import Traced, trace
from nasm.records import RunReport


@dataclass(frozen=True, slots=True)
class KernelResult:
    """What a kernel returned, as arrays, with the run behind it."""

    outputs: Any
    result: Result
    traced: Traced

    @property
    def report(self) -> RunReport:
        """The report of the run."""
        return self.result.report


def run(
    kernel: Callable[..., Any],
    *args: Any,
    lnc: int | None = None,
    target: str | None = None,
    **kwargs: Any,
) -> KernelResult:
    """Run a kernel with arrays: what it returns, and the report."""
    traced = trace(kernel, *args, lnc=lnc, target=target, **kwargs)
    result = run_program(traced.program, dict(traced.inputs))
    return KernelResult(_filled(traced.returned, result.outputs), result, traced)


def _filled(returned: Any, outputs: Mapping[str, Any]) -> Any:
    if isinstance(returned, str):
        return outputs[returned]
    if isinstance(returned, list | tuple):
        return type(returned)(_filled(item, outputs) for item in returned)
    return returned
