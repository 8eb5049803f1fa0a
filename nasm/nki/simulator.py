"""``nki.simulator``: kernels called as AWS's plug-in for vLLM calls them on a CPU.

How long they took on the simulated machine is printed when the process ends.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from nasm.nki.jit import Kernel, name_of, simulate


class KernelTimes:
    """How often each kernel was called, and for how many microseconds it ran in all."""

    def __init__(self) -> None:
        self._times: dict[str, tuple[int, float]] = {}

    def add(self, name: str, microseconds: float) -> None:
        """Count a call; the first one has the times printed at the end of the process."""
        if not self._times:
            atexit.register(self._print)
        calls, before = self._times.get(name, (0, 0.0))
        self._times[name] = calls + 1, before + microseconds

    def __str__(self) -> str:
        rows = [(name, f"{n:,}", f"{us:,.3f}") for name, (n, us) in self._times.items()]
        rows.insert(0, ("kernel", "calls", "simulated µs"))
        first, second, third = (max(len(row[n]) for row in rows) for n in range(3))
        return "\n".join(f"{a:<{first}}  {b:>{second}}  {c:>{third}}" for a, b, c in rows)

    def _print(self) -> None:
        sys.stderr.write(f"{self}\n")


TIMES = KernelTimes()

_COUNTED: ContextVar[bool] = ContextVar("nasm.nki.simulator", default=False)


def ran(kernel: Kernel, microseconds: float) -> None:
    """Count a run of a kernel, if it is one that was called here."""
    if _COUNTED.get():
        TIMES.add(name_of(kernel), microseconds)


def simulate_kernel(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    lnc: int | None = None,
    _lnc: int | None = None,
) -> Any:
    """Call a kernel, on so many cores; returns what it returns.

    AWS's plug-in calls them ``lnc``, its documentation and the library's tests ``_lnc``.
    """
    cores = _lnc if lnc is None else lnc
    kernel = simulate(func) if cores is None else simulate(func).on(cores)
    before = _COUNTED.set(True)
    try:
        return kernel(*args, **(kwargs or {}))
    finally:
        _COUNTED.reset(before)
