"""Operands of lines of the networks: bytes of a tile by tensor or address, and coordinates."""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.kinds import WRONG_KIND, Kind
from nasm.views.spelling import spell
from nasm.views.tensor import Tensor
from nasm.views.value_text import value_text
from nasm.views.view import View

MOST_ADDRESS = (1 << 36) - 1
"""The largest address of a packet."""


@dataclass(frozen=True, slots=True)
class TileBytes(Kind):
    """Bytes that lie one after the other: those of a tensor or a part of it, or from an address on.

    What is ``remote`` may be another tile's.
    """

    remote: bool = False

    def accept(self, value: object) -> object:
        """A view or an address; raises Refused."""
        if type(value) is int:
            if not 0 <= value <= MOST_ADDRESS:
                raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
            return value
        if isinstance(value, Tensor):
            value = View.whole(value)
        if not isinstance(value, View):
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        tensor = value.tensor
        if tensor.memory.partitions:
            raise Refused("E0302", f"{tensor.name} is in {tensor.memory.name}, of partitions")
        if tensor.arrangement is not None:
            if value != View.whole(tensor):
                value.in_order()  # refuses it
        elif size(value) != _reach(value):
            message = f"{value_text(value)} has gaps: a packet takes bytes that follow each other"
            raise Refused("E0304", message, "send its runs one by one")
        return value

    def format(self, value: object) -> str:
        """As a program writes it."""
        return spell(value) if isinstance(value, View) else f"{value:#x}"

    @property
    def placeholder(self) -> str:
        """A word for it."""
        return "bytes"

    def describe(self) -> str:
        """What it accepts."""
        whose = "any tile" if self.remote else "this tile"
        return f"a tensor of {whose}, a part of one whose bytes follow each other, or an address"

    @property
    def names(self) -> str:
        """It may name a tensor."""
        return "tensor"


def size(view: View) -> int:
    """The bytes of a view."""
    tensor = view.tensor
    return tensor.bytes if tensor.arrangement is not None else view.size * view.dtype.itemsize


def _reach(view: View) -> int:
    """From its first byte to its last, if its elements are in order and no step is below 0."""
    reach, item = view.dtype.itemsize, view.dtype.itemsize
    wanted = 1
    for count, step in zip(reversed(view.shape), reversed(view.steps), strict=True):
        if count > 1 and step != wanted:
            return -1
        wanted *= count
        reach = wanted * item
    return reach
