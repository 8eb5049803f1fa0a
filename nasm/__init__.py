"""nasm: an assembler and interpreter for the AWS Neuron ISA.

    import nasm
    result = nasm.run("matmul.nasm", inputs={"A": a, "B": b})
    result.outputs["C"], result.report.microseconds

:func:`assemble` makes a Program of a text or a path, :class:`Session` steps one and looks inside,
:class:`Builder` makes one from Python calls. Nothing heavy is imported before it is asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own takes a while to import, in which a Ctrl-C is not heard

if TYPE_CHECKING:
    from typing import Any

    from nasm.api import Builder, Result, assemble, at_read, check, run
    from nasm.comparison import compare
    from nasm.problems import Failure
    from nasm.rerun import schedules, witness
    from nasm.session import Session
    from nasm.spec.view import Reg, Window

__version__ = "0.1.0"
__all__ = [
    "Builder",
    "Failure",
    "Reg",
    "Result",
    "Session",
    "Window",
    "__version__",
    "assemble",
    "at_read",
    "check",
    "compare",
    "run",
    "schedules",
    "witness",
]

_HOMES = {
    "Failure": "nasm.problems",
    "Reg": "nasm.spec.view",
    "Session": "nasm.session",
    "Window": "nasm.spec.view",
    "compare": "nasm.comparison",
    "schedules": "nasm.rerun",
    "witness": "nasm.rerun",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'nasm' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "nasm.api")), name)


def __dir__() -> list[str]:
    return __all__
