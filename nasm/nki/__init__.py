"""AWS's kernel language NKI: a kernel is run, each of its calls recorded, and a program made of it.

    import nasm.nki
    with nasm.nki.installed():
        import their_module
    result = nasm.nki.run(their_module.kernel, a, b)
    result.outputs, result.report.microseconds

The contents of ``nki``, ``nki.isa`` and ``nki.language`` there are made of the rows of the table of
instructions; the names are AWS's. :func:`trace` makes the program alone, :class:`Model`
runs several kernels with tensors that stay in HBM.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from nasm.nki.by_rank import ByRank
    from nasm.nki.kernel import Traced, trace
    from nasm.nki.kernel_run import KernelResult, installed, run
    from nasm.nki.loading import module
    from nasm.nki.model import Model

__all__ = ["ByRank", "KernelResult", "Model", "Traced", "installed", "module", "run", "trace"]

_HOMES = {
    "ByRank": "nasm.nki.by_rank",
    "KernelResult": "nasm.nki.kernel_run",
    "Model": "nasm.nki.model",
    "Traced": "nasm.nki.kernel",
    "installed": "nasm.nki.kernel_run",
    "module": "nasm.nki.loading",
    "run": "nasm.nki.kernel_run",
    "trace": "nasm.nki.kernel",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nasm.nki' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
