"""What is outside of the cores of a machine, such as a host that lines of a queue drive."""

from __future__ import annotations

from typing import Any, Protocol

from nasm.isa.core_state import Bytes


class TensorBytes(Bytes, Protocol):
    """The bytes of a tensor, by the addresses of its memory: ``size`` of them from ``first`` on."""

    first: int
    size: int


class OutsideWorld(Protocol):
    """What calls of instructions reach: saved and restored like all that changes."""

    def save(self) -> Any:
        """Everything that changes."""

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
