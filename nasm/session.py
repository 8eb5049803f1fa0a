"""The façade: everything that can be done with a program on a machine.

The shell command, the REPL and Python programs all use a :class:`Session`; what it returns are
frozen records, and arrays. Each ability lives in :mod:`nasm.debug`; here it has its name.
"""

from __future__ import annotations

from nasm.running import ASSEMBLED, Running

__all__ = ["ASSEMBLED", "Session"]


class Session(Running):
    """A program on a machine, where it can be run, stopped, inspected, changed and taken back.

    It is made as a :class:`~nasm.running.Running` is.
    """

    # -- stopping

    # -- moving

    # -- going back

    # -- seeing

    # -- asking

    # -- trying
