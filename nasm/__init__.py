"""nasm: an assembler and interpreter for the AWS Neuron ISA.

    import nasm
    result = nasm.run("matmul.nasm", inputs={"A": a, "B": b})
    result.outputs["C"], result.report.microseconds

:func:`assemble` makes a Program of a text or a path, :class:`Session` is a debugger of one,
:class:`Builder` makes one from Python calls, :mod:`nasm.nki` from AWS's kernels. What nasm refuses
raises an :class:`Error`. Nothing heavy is imported before it is asked for.
"""

from __future__ import annotations

from nasm import drawing

TYPE_CHECKING = False  # typing's own takes a while to import, in which a Ctrl-C is not heard

if TYPE_CHECKING:
    from typing import Any

    from nasm import nki
    from nasm.api import Builder, Result, assemble, at_read, check, run
    from nasm.comparison import compare
    from nasm.debug.changing.typed import Typed
    from nasm.debug.engines.records import Context
    from nasm.debug.moving.breakpoints import Breakpoint, Hit
    from nasm.debug.moving.travel import Mark
    from nasm.debug.origins.whys import Why
    from nasm.debug.values.value import Value
    from nasm.isolation.isolated import isolated
    from nasm.isolation.limits import Limits
    from nasm.isolation.outcome import Outcome
    from nasm.problems import Error, Failure, Problem, Refused
    from nasm.records import Moment, RunReport, Status
    from nasm.rerun import schedules, witness
    from nasm.running import Checkpoint
    from nasm.session import Session
    from nasm.spec.view import Reg, Window

__version__ = "0.1.0"
__all__ = [
    "Breakpoint",
    "Builder",
    "Checkpoint",
    "Context",
    "Error",
    "Failure",
    "Hit",
    "Limits",
    "Mark",
    "Moment",
    "Outcome",
    "Problem",
    "Refused",
    "Reg",
    "Result",
    "RunReport",
    "Session",
    "Status",
    "Typed",
    "Value",
    "Why",
    "Window",
    "__version__",
    "assemble",
    "at_read",
    "check",
    "compare",
    "isolated",
    "nki",
    "run",
    "schedules",
    "witness",
]

_HOMES = {
    "Breakpoint": "nasm.debug.moving.breakpoints",
    "Checkpoint": "nasm.running",
    "Context": "nasm.debug.engines.records",
    "Error": "nasm.problems",
    "Failure": "nasm.problems",
    "Hit": "nasm.debug.moving.breakpoints",
    "Limits": "nasm.isolation.limits",
    "Mark": "nasm.debug.moving.travel",
    "Moment": "nasm.records",
    "Outcome": "nasm.isolation.outcome",
    "Problem": "nasm.problems",
    "Refused": "nasm.problems",
    "Reg": "nasm.spec.view",
    "RunReport": "nasm.records",
    "Session": "nasm.session",
    "Status": "nasm.records",
    "Typed": "nasm.debug.changing.typed",
    "Value": "nasm.debug.values.value",
    "Why": "nasm.debug.origins.whys",
    "Window": "nasm.spec.view",
    "compare": "nasm.comparison",
    "isolated": "nasm.isolation.isolated",
    "schedules": "nasm.rerun",
    "witness": "nasm.rerun",
}


def _views() -> Any:
    """How things look; nothing of it is imported before something is drawn."""
    from importlib import import_module

    return import_module("nasm.repl.drawn")


drawing.views = _views


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'nasm' has no attribute {name!r}")
    from importlib import import_module

    if name == "nki":
        return import_module("nasm.nki")
    return getattr(import_module(_HOMES.get(name, "nasm.api")), name)


def __dir__() -> list[str]:
    return __all__
