"""What makes the descriptors of a DMA: the host before the run, GpSimd, or the hardware.

The vendor's compiler chooses where a program does not; which engines have what is in the Trainium2
architecture guide, 'Descriptor Generation Engine'.
"""

from __future__ import annotations

from collections.abc import Sequence

from nasm.isa.generation import Generation
from nasm.isa.instruction import InstructionContext
from nasm.views.view import View


def mode(generation: Generation, engine: str, views: Sequence[View], given: str | None) -> str:
    """The ``dge_mode`` that a transfer uses: the one given, or the default of its engine.

    The hardware does not convert (NKI 0.3 release notes), so that a transfer between two dtypes
    does without it, unless its address is known at run time only (that the default is ``none``
    there is assumed).
    """
    if given is not None:
        return given
    if engine == "gpsimd":
        return "swdge"
    if engine in ("sync", "scalar") and generation.switches["hardware_dge"]:
        converts = any(view.dtype is not views[0].dtype for view in views)
        return "none" if converts and not any(map(at_run_time, views)) else "hwdge"
    return "none"


def named(context: InstructionContext, used: str, given: str | None) -> str:
    """A mode as a refusal names it: what the program says, or whose default it is."""
    return (
        f"dge_mode={used}" if given is not None else f"{context.engine}'s default dge_mode={used}"
    )


def at_run_time(view: View) -> str:
    """What holds the start of a view that only the run knows: a register or a tile."""
    if view.dynamic:
        return "register"
    return "tile" if view.offsets is not None and view.offsets.single else ""
