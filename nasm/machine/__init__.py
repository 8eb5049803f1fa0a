"""A program on a machine: the only place that knows both a target and the simulator.

``Machine`` is imported when it is first used: the records of a run, of which the command needs some
for its ``--help``, come without it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in nasm itself

if TYPE_CHECKING:
    from nasm.machine.machine import Machine

__all__ = ["Machine"]


def __getattr__(name: str) -> object:
    if name != "Machine":
        raise AttributeError(f"module 'nasm.machine' has no attribute {name!r}")
    from nasm.machine.machine import Machine

    globals()[name] = Machine
    return Machine
