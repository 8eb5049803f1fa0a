"""A program on a machine: the only place that knows both a target and the simulator."""

from nasm.machine.machine import Machine

__all__ = ["Machine"]
