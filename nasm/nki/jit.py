"""Kernels: functions that are traced when they are called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any, Protocol

from nasm.nki.errors import NOT_NKI, refuse
from nasm.nki.target import TARGET
from nasm.nki.tracing import tracing

IGNORED = ("mode", "debug_kernel", "show_compiler_tb", "experimental_flags")
"""Options of nki.jit that say something to AWS's compiler, or did to an older one."""


class KeepsRun(Protocol):
    """Keeps a record of a run whose session was made with ``profile``."""

    def watch(self, session: Any) -> None:
        """Record a session that has not started."""

    def save(self) -> None:
        """Write what was recorded of a run that got to its end; raises Failure."""


class Kernel:
    """A function that nki.jit was applied to: calling it runs it, on as many cores as asked.

    ``values`` says whether a call computes any, and ``target`` for which generation, if the kernel
    names one; ``hoists`` whether what it has computed before is read again, if nothing else says;
    ``spills`` whether tiles that SBUF has no room for are saved to HBM.
    """

    values, hoists, spills = True, False, False

    def __init__(self, function: Callable[..., Any], cores: int = 1) -> None:
        update_wrapper(self, function)
        self.function, self.cores = function, cores
        self.target: str | None = None

    def __getitem__(self, cores: Any) -> Kernel:
        """The same on so many cores."""
        count = cores[0] if isinstance(cores, tuple) and len(cores) == 1 else cores
        if type(count) is not int or count not in (1, 2):
            refuse(f"a kernel on {cores!r} cores: wanted 1, or 2 that share HBM")
        return Kernel(self.function, count)

    def ran(self, microseconds: float) -> None:
        """A run of it has ended, after so long on the simulated machine."""

    def recording(self) -> KeepsRun | None:
        """What keeps a record of a run of it, if the kernel asks for one."""
        return None

    def on(self, cores: int) -> Kernel:
        """The same on so many cores, however it is launched."""
        return self[cores]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it, or be a part of the kernel that calls it."""
        if tracing() is not None:
            return self.function(*args, **kwargs)  # called by another kernel: a part of it
        if _values_come_later(args, kwargs):
            return _deferred(self, args, kwargs)
        return _launch(self, args, kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Kernel:
        """As a method it is called with its object in front, as any function is."""
        bind = getattr(self.function, "__get__", None)
        return self if bind is None else Kernel(bind(instance, owner), self.cores)

    def __repr__(self) -> str:
        return f"<kernel {name_of(self)}>"


def name_of(kernel: Callable[..., Any]) -> str:
    """What a kernel is called."""
    return str(getattr(kernel, "__name__", "kernel"))


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Have a function traced when it is called."""
    for option in options:
        if option == "platform_target":
            refuse(
                "nki.jit(platform_target=…), which NKI has not had since 0.3",
                f"set {TARGET}, or say --target",
                NOT_NKI,
            )
        if option not in IGNORED:
            raise TypeError(f"jit() got an unexpected keyword argument '{option}'")
    return simulate if function is None else simulate(function)


def simulate(kernel: Callable[..., Any]) -> Kernel:
    """A kernel of a function: here every kernel runs simulated."""
    return kernel if isinstance(kernel, Kernel) else Kernel(kernel)


Launch = Callable[[Kernel, Sequence[Any], Mapping[str, Any]], Any]
"""What a call of a kernel does, outside of another one: from its arguments to what it returns."""


def _nothing(kernel: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    raise RuntimeError("nasm.nki.kernel_run says what a call of a kernel does")


_launch: Launch = _nothing
_deferred: Launch = _nothing


def defer_by(deferred: Launch) -> None:
    """Set what calls of kernels do while JAX traces what calls them."""
    global _deferred
    _deferred = deferred


def _values_come_later(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether JAX is tracing: arrays have shapes, and no values yet."""
    core = sys.modules.get("jax.core") or sys.modules.get("jax")
    tracer = getattr(core, "Tracer", None)
    return tracer is not None and any(
        isinstance(part, tracer) for part in leaves((args, dict(kwargs)))
    )


def leaves(value: Any) -> Iterator[Any]:
    """What is in tuples, lists and dicts, and in those within them."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def launch_by(launch: Launch) -> None:
    """Set what calls of kernels do by default."""
    global _launch
    _launch = launch


@contextmanager
def launching(launch: Launch) -> Iterator[None]:
    """Let calls of kernels do something else, on every thread."""
    before = _launch
    launch_by(launch)
    try:
        yield
    finally:
        launch_by(before)
