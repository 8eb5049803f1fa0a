"""Memories a target has, and the tensors that programs declare in them."""

from __future__ import annotations

from nasm.base.dtypes import DType
from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.views.arrangement import Arrangement

MOST_AXES = 32
"""Axes of a tensor or a view; NumPy, which holds the elements, has 64 and needs some itself."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory: so many partitions of so many bytes, or one linear range (``partitions`` 0).

    ``size`` is bytes per partition (0: grows with what is declared), ``bank`` the bytes of a bank
    within each partition (0: no banks). ``io`` memories may hold a program's inputs and outputs.
    What is ``numbered`` is reached by byte addresses, too, by what a core holds: it is linear and
    of a fixed size, and the tensors that are declared there are parts of it. One that ``arranges``
    may hold tensors whose elements are not in order, too.
    """

    name: str
    partitions: int
    size: int
    summary: str
    source: str
    bank: int = 0
    io: bool = False
    shared: bool = False
    align: int = 1
    numbered: bool = False
    arranges: bool = False

    @property
    def banks(self) -> int:
        """How many banks each partition has; 0 if it has none."""
        return self.size // self.bank if self.bank else 0


@dataclass(slots=True, eq=False)
class Tensor:
    """A declared tensor. Its place is filled in when it is placed, once.

    ``partition`` and ``offset`` (bytes within each partition, or within a linear memory) are
    None until then; ``fixed`` says that they were chosen, by the program or because others that
    live there live at other times: only such tensors share bytes. ``block`` are the blocks that it
    is declared in, outermost first, after which its bytes may be another's. With an
    ``arrangement`` its elements do not lie one after the other in its bytes; only instructions
    that reach the memory by addresses read it.
    """

    name: str
    memory: Memory
    dtype: DType
    shape: tuple[int, ...]
    span: Span | None = None
    role: str = ""
    init: object = None
    core: int = 0
    partition: int | None = None
    offset: int | None = None
    fixed: bool = False
    index: int = 0
    block: tuple[int, ...] = ()
    arrangement: Arrangement | None = None
    _elements: int = field(default=0, repr=False)

    @property
    def partitions(self) -> int:
        """Partitions it spans; 0 in a linear memory."""
        return self.shape[0] if self.memory.partitions else 0

    @property
    def elements(self) -> int:
        """Elements per partition, or in all in a linear memory."""
        if not self._elements:
            count = 1
            for n in self.shape[1:] if self.memory.partitions else self.shape:
                count *= n
            self._elements = count
        return self._elements

    @property
    def bytes(self) -> int:
        """Bytes per partition, or in all in a linear memory."""
        if self.arrangement is not None:
            return self.arrangement.size(self.shape)
        return self.elements * self.dtype.itemsize

    @property
    def stored(self) -> str:
        """What its elements are called where they are stored."""
        return self.dtype.name if self.arrangement is None else self.arrangement.stored

    def shares(self, other: Tensor) -> bool:
        """Whether it has bytes in common with another tensor; both have their places."""
        if self.memory is not other.memory:
            return False
        if self.core != other.core and not self.memory.shared:
            return False
        first, second = self.partition or 0, other.partition or 0
        if self.partitions and not first - other.partitions < second < first + self.partitions:
            return False
        start, begin = self.offset or 0, other.offset or 0
        return start < begin + other.bytes and begin < start + self.bytes

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        return f"<{self.memory.name} {self.name} {self.dtype.name}[{sizes}]>"
