"""nasm: an assembler and interpreter for the AWS Neuron ISA.

    import nasm
    result = nasm.run("matmul.nasm", inputs={"A": a, "B": b})
    result.outputs["C"], result.report.microseconds

:func:`assemble` makes a Program of a text or a path, :class:`Session` is a debugger of one,
:class:`Builder` makes one from Python calls, :mod:`nasm.nki` from AWS's kernels. What nasm refuses
raises an :class:`Error`. Nothing heavy is imported before it is asked for.
"""

from __future__ import annotations

from nasm.base import drawing

TYPE_CHECKING = False  # typing's own takes a while to import, in which a Ctrl-C is not heard

if TYPE_CHECKING:
    from typing import Any

    from nasm import nki
    from nasm.api import Builder, Result, assemble, at_read, check, equal, run
    from nasm.base.problems import Error, Failure, Problem, Refused
    from nasm.debugger.changing.interactive import Typed
    from nasm.debugger.engines.records import Context
    from nasm.debugger.moving.breakpoint_records import Breakpoint, Hit
    from nasm.debugger.moving.travel import Mark
    from nasm.debugger.origins.records import Why
    from nasm.debugger.session import Session
    from nasm.debugger.values.value import Value
    from nasm.grading.grade import Grade
    from nasm.grading.grading import judge
    from nasm.isolation.entry import isolated
    from nasm.isolation.limits import Limits
    from nasm.isolation.outcome import Outcome
    from nasm.machine.records import Moment, RunReport, Status
    from nasm.runs.diff import compare
    from nasm.runs.execution import Checkpoint
    from nasm.runs.schedules import schedules, witness
    from nasm.runs.settings import RunSettings
    from nasm.sweeps.sweep import SweepResult, sweep
    from nasm.sweeps.tuning import tune
    from nasm.views.view import Reg, Window

__version__ = "0.1.0"
__all__ = [
    "Breakpoint",
    "Builder",
    "Checkpoint",
    "Context",
    "Error",
    "Failure",
    "Grade",
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
    "RunSettings",
    "Session",
    "Status",
    "SweepResult",
    "Typed",
    "Value",
    "Why",
    "Window",
    "__version__",
    "assemble",
    "at_read",
    "check",
    "compare",
    "equal",
    "isolated",
    "judge",
    "nki",
    "run",
    "schedules",
    "sweep",
    "tune",
    "witness",
]

_HOMES = {
    "Breakpoint": "nasm.debugger.moving.breakpoint_records",
    "Checkpoint": "nasm.runs.execution",
    "Context": "nasm.debugger.engines.records",
    "Error": "nasm.base.problems",
    "Failure": "nasm.base.problems",
    "Grade": "nasm.grading.grade",
    "Hit": "nasm.debugger.moving.breakpoint_records",
    "Limits": "nasm.isolation.limits",
    "Mark": "nasm.debugger.moving.travel",
    "Moment": "nasm.machine.records",
    "Outcome": "nasm.isolation.outcome",
    "Problem": "nasm.base.problems",
    "Refused": "nasm.base.problems",
    "Reg": "nasm.views.view",
    "RunReport": "nasm.machine.records",
    "RunSettings": "nasm.runs.settings",
    "Session": "nasm.debugger.session",
    "Status": "nasm.machine.records",
    "SweepResult": "nasm.sweeps.sweep",
    "Typed": "nasm.debugger.changing.interactive",
    "Value": "nasm.debugger.values.value",
    "Why": "nasm.debugger.origins.records",
    "Window": "nasm.views.view",
    "compare": "nasm.runs.diff",
    "judge": "nasm.grading.grading",
    "isolated": "nasm.isolation.entry",
    "schedules": "nasm.runs.schedules",
    "sweep": "nasm.sweeps.sweep",
    "tune": "nasm.sweeps.tuning",
    "witness": "nasm.runs.schedules",
}


def _views() -> Any:
    """How things look; nothing of it is imported before something is drawn."""
    from importlib import import_module

    return import_module("nasm.show.views")


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
