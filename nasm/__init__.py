"""nasm: an assembler and interpreter for the AWS Neuron ISA.

    import nasm
    result = nasm.run("matmul.nasm", inputs={"A": a, "B": b})
    result.outputs["C"], result.report.microseconds

:func:`assemble` makes a Program of a text or a path, :class:`Session` steps one and looks inside,
:class:`Builder` makes one from Python calls. Nothing heavy is imported before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nasm.api import Builder, Result, assemble, builder, run
    from nasm.session import Session

__version__ = "0.1.0"
__all__ = ["Builder", "Result", "Session", "__version__", "assemble", "builder", "run"]


def __getattr__(name: str) -> Any:
    if name == "Session":
        from nasm.session import Session

        return Session
    if name in __all__:
        from nasm import api

        return getattr(api, name)
    raise AttributeError(f"module 'nasm' has no attribute {name!r}")
