"""New tensors of NKI 0.1, and where a kernel puts them: ``neuronxcc.nki.compiler``."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nasm.base.records import dataclass
from nasm.nki.errors import refuse, trail
from nasm.nki.indexing import items, whole_number
from nasm.nki.names import HBM, DType, MemoryRegion
from nasm.nki.neuronxcc.running import instance
from nasm.nki.neuronxcc.tensor import Storage, TileTensor, whole
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import current
from nasm.nki.variables import variable

Place = Callable[[tuple[int, ...], int, int], tuple[int, int]]
"""The partition and the byte where a block begins: of its place, its partitions and its bytes."""


class PartitionSize(int):
    """``nl.par_dim(n)``: the size of the axis that counts partitions."""


def par_dim(size: Any) -> PartitionSize:
    """Mark the axis of a shape that counts partitions; the axes before it count tiles."""
    return PartitionSize(whole_number(size, "the size of nl.par_dim"))


@dataclass(frozen=True, slots=True)
class Buffer:
    """A memory, and how a kernel places tiles in it; None if that is left to us."""

    region: MemoryRegion
    place: Place | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Buffer:
        """As a name alone it is the memory."""
        return self


def made_tensor(what: str, shape: Any, dtype: Any, buffer: Any, name: Any) -> TileTensor:
    """A new tensor: in HBM, or on chip a tile for each block."""
    where = buffer if isinstance(buffer, Buffer) else Buffer(_region(buffer))
    given = items(shape, f"the shape of nl.{what}") if not isinstance(shape, int) else [shape]
    sizes = tuple(whole_number(n, f"a size of nl.{what}") for n in given)
    if not sizes or min(sizes) < 1:
        refuse(f"nl.{what} of {list(sizes)}: wanted sizes of at least 1")
    marked = [n for n, size in enumerate(given) if isinstance(size, PartitionSize)]
    if len(marked) > 1:
        refuse(f"nl.{what} of {list(sizes)} with {len(marked)} times nl.par_dim; wanted one")
    now, kind = instance(f"nl.{what}"), DType(dtype)
    called = str(name or "") or variable(trail(sys._getframe(1))) or what
    if where.region.memory == "hbm":
        return whole(_in_hbm(sizes, kind, where.region, called))
    blocks = marked[0] if marked else 0
    inner = sizes[blocks:] if len(sizes) - blocks > 1 else (*sizes[blocks:], 1)
    shape_ = sizes[:blocks] + inner
    trace, place = current(f"nl.{what}"), where.place
    if place is not None:
        place = now.as_first((called, shape_, str(kind)), place)

    def make(block: tuple[int, ...]) -> NkiTensor:
        address = None
        if place is not None:
            size = math.prod(inner[1:]) * kind.itemsize
            address = place(block, inner[0], size)
        return trace.tensor(inner, kind, where.region, called, address)

    storage = Storage(shape_, blocks, kind, where.region, make, round=now.round)
    return whole(storage)


def _region(buffer: Any) -> MemoryRegion:
    if buffer is None:
        return MemoryRegion.sbuf
    if isinstance(buffer, MemoryName):
        return buffer.region
    if not isinstance(buffer, str):
        refuse(f"buffer={buffer!r}; wanted one of NKI's, such as nl.sbuf")
    return MemoryRegion(buffer)


def _in_hbm(sizes: tuple[int, ...], kind: DType, region: MemoryRegion, name: str) -> Storage:
    """A tensor in HBM; the instances of a grid share the n-th that each declares as shared."""
    now, trace = instance("nl.ndarray"), current("nl.ndarray")
    made: NkiTensor | None = None
    shared = region is MemoryRegion.shared_hbm
    if shared and now.first is not None:
        made = (
            now.first.shared[len(now.shared)] if len(now.shared) < len(now.first.shared) else None
        )
        if made is None or made.shape != sizes or made.dtype != kind:
            refuse(
                f"tensor {len(now.shared)} in shared_hbm is {kind}{list(sizes)} in instance "
                f"{now.place}, and {made!r} in the first one",
                "every instance of a grid declares the same tensors in the same order",
            )
    if made is None:
        made = trace.tensor(sizes, kind, region if trace.cores > 1 or not shared else HBM, name)
    if shared:
        now.shared.append(made)
    found = made
    return Storage(sizes, 0, kind, region, lambda block: found, tiles={(): found})


# ---------------------------------------------------------------- neuronxcc.nki.compiler


def _modulo(base: int, counts: Sequence[int], scale: int, block: tuple[int, ...]) -> int:
    """The place of a block in a ring of so many."""
    sizes = tuple(counts) or (1,) * len(block)
    found = 0
    for at, size in zip(block, sizes, strict=False):
        found = found * size + at % size
    return base + found * scale


class MemoryName:
    """``nl.sbuf``, ``ncc.psum`` and so on: a memory, and ways to place tiles in it."""

    def __init__(self, name: str) -> None:
        self.region = MemoryRegion(name)

    def alloc(self, func: Any) -> Buffer:
        """Where a function of a block, its partitions and its bytes says."""
        if not callable(func):
            refuse(f"{self.region}.alloc({func!r}): wanted a function of a block and its sizes")
        banked = self.region is MemoryRegion.psum

        def place(block: tuple[int, ...], partitions: int, size: int) -> tuple[int, int]:
            found = tuple(_called(func, block, partitions, size))
            return self._address(*found) if banked else (found[0], found[1])

        return Buffer(self.region, place)

    def _address(self, bank: int, partition: int, byte: int) -> tuple[int, int]:
        memory = current("psum").builder.generation.memories["psum"]
        return partition, bank * memory.bank + byte

    def mod_alloc(
        self,
        *,
        base_addr: int = 0,
        base_bank: int = 0,
        base_partition: int = 0,
        num_bank_tiles: Sequence[int] = (),
        num_par_tiles: Sequence[int] = (),
        num_free_tiles: Sequence[int] = (),
    ) -> Buffer:
        """Rings of tiles: a block takes the place that its number is, modulo the ring's length."""

        def place(block: tuple[int, ...], partitions: int, size: int) -> tuple[int, int]:
            partition = _modulo(base_partition, num_par_tiles, partitions, block)
            byte = _modulo(base_addr, num_free_tiles, size, block)
            if self.region is MemoryRegion.sbuf:
                return partition, byte
            return self._address(_modulo(base_bank, num_bank_tiles, 1, block), partition, byte)

        return Buffer(self.region, place)

    def auto_alloc(self) -> Buffer:
        """Where we find room."""
        return Buffer(self.region)

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return str(self.region)

    __repr__ = __str__


def _called(func: Any, block: tuple[int, ...], partitions: int, size: int) -> Any:
    """A function of places, by the names that AWS's guide gives to its parameters if it has them.

    One that ``functools.partial`` has given a keyword takes nothing by position after it.
    """
    named = {"idx": block, "pdim_size": partitions, "fdim_size": size}
    try:
        inspect.signature(func).bind(**named)
    except (TypeError, ValueError):
        return func(block, partitions, size)
    return func(**named)


def unchanged(func: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A decorator that says something to AWS's compiler, and changes nothing here."""
    return func if callable(func) else unchanged


def as_written(func: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A decorator for a kernel of which no call is left out that repeats an earlier one."""
    if not callable(func):
        return as_written
    getattr(func, "kernel", func).as_written = True
    if hasattr(func, "hoists"):
        func.hoists = False
    return func


@contextmanager
def block(*args: Any, **kwargs: Any) -> Iterator[None]:
    """A block that says something to AWS's compiler: the order is the kernel's everywhere."""
    yield
