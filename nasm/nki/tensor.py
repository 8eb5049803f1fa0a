"""Tensors as kernels have them: some storage and a view of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import replace
from nasm.nki.errors import refuse
from nasm.nki.indexing import emptied, indexed, items, quickly, whole_number
from nasm.nki.names import DTYPES, DType, MemoryRegion, VirtualRegister
from nasm.nki.rearranging import Pattern, rearranged
from nasm.nki.run_time_values import UnknownTensor
from nasm.nki.views import changed, cut, retyped, within, without
from nasm.views.offsets import moved
from nasm.views.value_text import value_text
from nasm.views.view import ALL, View

PAST = "E0305"
"""The code of what reaches past a tensor."""


class NkiTensor(UnknownTensor):
    """A view of a tensor in one of the memories. On chip axis 0 counts partitions.

    What it holds is not known while a kernel is traced. Every method gives another view of the same
    storage.
    """

    __slots__ = ("_dtype", "buffer", "view_")

    def __init__(self, view: View, buffer: MemoryRegion, dtype: DType | None = None) -> None:
        self.view_, self.buffer, self._dtype = view, buffer, dtype

    def __class_getitem__(cls, shape: object) -> type[NkiTensor]:
        """An annotation: of which sizes a kernel wants an argument to be."""
        return cls

    # -- what is known of it

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return self.view_.shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.view_.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.view_.shape)

    @property
    def dtype(self) -> DType:
        """What its elements are, as the kernel calls it."""
        if self._dtype is not None:
            return self._dtype
        name = self.view_.dtype.name
        return DTYPES.get(name) or DType(name)

    @property
    def name(self) -> str:
        """The name of its storage."""
        return self.view_.tensor.name

    @property
    def on_chip(self) -> bool:
        """Whether axis 0 counts partitions."""
        return self.view_.partitioned

    @property
    def row(self) -> int:
        """Elements of a partition of its storage; of all of it in HBM."""
        return self.view_.tensor.bytes // self.view_.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Elements of storage from one position of an axis to the next."""
        steps = self.view_.steps
        return (steps[0] * self.row, *steps[1:]) if self.on_chip else steps

    @property
    def offset(self) -> int:
        """The element of its storage with which it begins."""
        view = self.view_
        return view.partition * self.row + view.offset // view.dtype.itemsize

    def get_pattern(self) -> list[list[int]]:
        """Its access pattern: a [step, count] for each axis."""
        return [[step, count] for step, count in zip(self.strides, self.shape, strict=True)]

    def is_contiguous(self) -> bool:
        """Whether it walks its storage without a gap; on chip in each partition."""
        reach, first = 1, int(self.on_chip)
        for count, step in zip(self.shape[:first:-1], self.view_.steps[:first:-1], strict=True):
            if count != 1 and step != reach:
                return False
            reach *= count
        count, step = self.shape[first], self.view_.steps[first]
        return count == 1 or step == reach

    def is_indirect(self) -> bool:
        """Whether the run decides where it is."""
        return bool(self.view_.dynamic) or self.view_.offsets is not None

    # -- parts of it

    def _made(self, view: View) -> NkiTensor:
        return NkiTensor(view, self.buffer, self._dtype)

    def _changed(self, method: str, *given: Any) -> NkiTensor:
        return self._made(changed(self.view_, method, *given))

    @property
    def _said(self) -> str:
        return f"{self.name}{list(self.shape)}"

    def _axis(self, dim: Any) -> int:
        axis = whole_number(dim, f"an axis of {self.name}")
        if not -self.ndim <= axis < self.ndim:
            refuse(f"axis {axis} of {self._said}, which has {self.ndim} axes")
        return axis % self.ndim

    def _free_axis(self, dim: Any, method: str) -> int:
        """An axis that can be changed: no partitions."""
        axis = self._axis(dim)
        if axis == 0 and self.on_chip:
            refuse(
                f".{method} of axis 0 of {self._said}, which counts partitions",
                "a view leaves them as they are; only moving the data changes them",
            )
        return axis

    def __getitem__(self, key: Any) -> NkiTensor:
        view = self.view_
        made = quickly(view, key)
        if made is not None:
            return self._made(made)
        try:
            return self._made(indexed(view, key, self._said))
        except Failure as failure:
            shape = emptied(view, key, self._said)
            if shape is None:
                raise
            return Unusable(self, shape, self.dtype, failure.problems[0])

    def slice(self, dim: int, start: int, end: int, step: int = 1) -> NkiTensor:
        """Positions [start, end) of an axis."""
        axis = self._axis(dim)
        first, last = (whole_number(n, f"a bound of a slice of {self.name}") for n in (start, end))
        if not 0 <= first < last <= self.shape[axis]:
            refuse(
                f"slice({axis}, {first}, {last}) of {self._said}: "
                f"wanted 0 <= start < end <= {self.shape[axis]}"
            )
        return self[(*[ALL] * axis, slice(first, last, step))]

    def select(self, dim: int, index: Any) -> NkiTensor:
        """One position of an axis, which goes; the run may decide which."""
        axis = self._axis(dim)
        if not isinstance(index, NkiTensor | VirtualRegister):
            return self[(*[ALL] * axis, whole_number(index, f"a position of {self.name}"))]
        self._not_yet("select")
        if isinstance(index, VirtualRegister):
            return self[(*[ALL] * axis, index)]
        if axis == 0 and self.on_chip:
            refuse(
                f"select of axis 0 of {self._said}, which counts partitions, by a tile",
                "load the index into a register: nisa.register_load",
            )
        first = cut(self.view_, [*[ALL] * axis, slice(0, 1)])
        rest = first if self.ndim <= 1 + self.on_chip else without(first, [axis])
        try:
            return self._made(moved(rest, self.view_, index.view_, axis))
        except Refused as refused:
            refuse(refused.message, refused.hint, refused.code)

    def _not_yet(self, method: str) -> None:
        if self.is_indirect():
            refuse(
                f".{method} of {self._said}, which is addressed at run time already",
                "one index at run time is all that a view has",
            )

    def vector_select(self, dim: int, vector_offset: NkiTensor) -> NkiTensor:
        """Of axis 0 the positions that a tile names, one for each partition."""
        if self._axis(dim) or self.on_chip:
            refuse(f"vector_select({dim}) of {self._said} in {self.buffer}: wanted axis 0 in HBM")
        self._not_yet("vector_select")
        pattern = [[self.strides[0], vector_offset.shape[0]], *self.get_pattern()[1:]]
        return self.ap(pattern, vector_offset=vector_offset)

    # -- other shapes

    def permute(self, dims: Sequence[int]) -> NkiTensor:
        """The axes in another order; the partition axis stays first."""
        order = tuple(self._axis(dim) for dim in items(dims, f"an order of {self.name}"))
        offsets = self.view_.offsets
        if offsets is not None and not offsets.single and order[:1] != (0,):
            refuse(f"permute{order} of {self._said}, the positions of whose axis 0 a tile decides")
        return self._changed("permute", order)

    def broadcast(self, dim: int, size: int) -> NkiTensor:
        """An axis of 1 repeated."""
        axis = self._free_axis(dim, "broadcast")
        count = whole_number(size, f"a size for axis {axis} of {self.name}")
        if self.shape[axis] != 1 or count < 1:
            refuse(f"broadcast({axis}, {count}) of {self._said}: wanted an axis of 1, and a size")
        return self._changed("broadcast", (*self.shape[:axis], count, *self.shape[axis + 1 :]))

    def expand_dim(self, dim: int) -> NkiTensor:
        """A new axis of 1."""
        at = whole_number(dim, f"a place for a new axis of {self.name}")
        offsets = self.view_.offsets
        first = int(self.on_chip or (offsets is not None and not offsets.single))
        if not first <= at <= self.ndim:
            refuse(f"expand_dim({at}) of {self._said}: wanted {first} to {self.ndim}")
        return self._made(within(self.view_, at))

    def squeeze_dim(self, dim: int) -> NkiTensor:
        """Without an axis of 1."""
        axis = self._free_axis(dim, "squeeze_dim")
        offsets = self.view_.offsets
        decided = offsets is not None and not offsets.single and axis == 0
        if self.shape[axis] != 1 or self.ndim <= 1 + self.on_chip or decided:
            least = 1 + self.on_chip
            refuse(
                f"squeeze_dim({axis}) of {self._said}: wanted an axis of 1, "
                f"and {least} or more to be left"
            )
        return self._made(without(self.view_, [axis]))

    def reshape_dim(self, dim: int, shape: Sequence[int]) -> NkiTensor:
        """An axis as several."""
        axis = self._axis(dim)
        sizes = self._sizes(shape, self.shape[axis])
        if sizes == (self.shape[axis],):
            return self
        self._free_axis(dim, "reshape_dim")
        return self.reshape((*self.shape[:axis], *sizes, *self.shape[axis + 1 :]))

    def flatten_dims(self, start_dim: int, end_dim: int) -> NkiTensor:
        """Several axes as one."""
        first, last = self._axis(start_dim), self._axis(end_dim)
        if first > last:
            refuse(f"flatten_dims({first}, {last}) of {self._said}: wanted the first axis first")
        size = math.prod(self.shape[first : last + 1])
        return self.reshape((*self.shape[:first], size, *self.shape[last + 1 :]))

    def reshape(self, shape: Any, *more: Any) -> NkiTensor:
        """Other sizes of the axes, without moving an element."""
        given = (shape, *more) if more or not isinstance(shape, Sequence) else shape
        return self._changed("reshape", self._sizes(given, self.size))

    def _sizes(self, shape: Sequence[Any], count: int) -> tuple[int, ...]:
        """Sizes that make so many elements; one of them may be -1."""
        given = items(shape, f"a shape for {self.name}")
        sizes = tuple(whole_number(n, f"a size for {self.name}") for n in given)
        known = math.prod(n for n in sizes if n != -1)
        wrong = sizes.count(-1) > 1 or any(n < 1 and n != -1 for n in sizes)
        if wrong or (known != count if -1 not in sizes else count % known):
            refuse(
                f"sizes {list(sizes)} for {count} elements of {self._said}: "
                "wanted as many, in sizes of at least 1, one of which may be -1"
            )
        return tuple(count // known if n == -1 else n for n in sizes)

    def rearrange(
        self, src_pattern: Pattern, dst_pattern: Pattern, fixed_sizes: dict[str, int] | None = None
    ) -> NkiTensor:
        """Axes split, put in another order and merged, by names."""
        made: NkiTensor = rearranged(self, src_pattern, dst_pattern, fixed_sizes)
        return made

    # -- the pattern itself

    def ap(
        self,
        pattern: Sequence[Sequence[int]],
        offset: int | None = None,
        scalar_offset: Any = None,
        vector_offset: Any = None,
        indirect_dim: int = 0,
        dtype: Any = None,
    ) -> NkiTensor:
        """The access pattern itself, in elements of its storage.

        An offset counts from the start of the storage, whatever the view begins with: so say the
        language guide and the reference of access patterns, whose example it is; the stub of 0.6
        has it added to the view's. On a whole tensor, where kernels use it, both are one.
        """
        named = None if dtype is None else DType(dtype)
        view = self.view_ if named is None else retyped(self.view_, named.stored)
        what = f"the pattern of {self.name}"
        pairs = [
            [whole_number(n, f"a number in {what}") for n in items(pair, f"a pair of {what}")]
            for pair in items(pattern, what)
        ]
        if self.on_chip and vector_offset is None and pairs and pairs[0][1:] == [1]:
            pairs[0][0] = view.tensor.bytes // view.dtype.itemsize  # one partition: no step counts
        start = None if offset is None else whole_number(offset, f"an offset into {self.name}")
        if start is None:
            self._not_yet("ap")
        view = replace(view, offsets=None, dynamic=())  # it is the storage that is addressed
        more: dict[str, Any] = {}
        if scalar_offset is not None or vector_offset is not None:
            more["indirect_dim"] = whole_number(indirect_dim, "indirect_dim")
        if scalar_offset is not None:
            more["scalar_offset"] = self._address(scalar_offset, "scalar_offset")
        if vector_offset is not None:
            more["vector_offset"] = self._address(vector_offset, "vector_offset")
        kind = self._dtype if named is None else named
        try:
            made = changed(view, "ap", pairs, start, **more)
        except Failure as failure:
            if failure.problems[0].code != PAST:
                raise
            shape = tuple(pair[1] for pair in pairs)
            return Unusable(self, shape, kind or self.dtype, failure.problems[0])
        return NkiTensor(made, self.buffer, kind)

    def _address(self, by: Any, what: str) -> Any:
        if isinstance(by, VirtualRegister):
            return by.named
        if not isinstance(by, NkiTensor):
            refuse(f"{what}={by!r} of {self.name}: wanted a tile or a register")
        return by.view_

    def view(self, dtype: Any) -> NkiTensor:
        """The same bytes as another dtype."""
        named = DType(dtype)
        if self.view_.offsets is not None:
            refuse(f".view of {self._said}, which a tile addresses: view it first")
        made = changed(self.view_, "view", named.stored)
        return NkiTensor(made, self.buffer, named)

    reinterpret_cast = view

    def indirect(self, index: NkiTensor, num_elem: int | None = None) -> NkiTensor:
        """The columns that a tile of entries names."""
        self._not_yet("indirect")
        if not isinstance(index, NkiTensor):
            refuse(f".indirect of {self._said} by {value_text(index)}; wanted a tile of entries")
        return self._changed("indirect", index.view_, num_elem)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        return f"<{self.buffer} {self.name} {self.dtype}[{sizes}]>"


class Unusable(NkiTensor):
    """What there is nothing of: refused where it was made, once something uses it.

    A pattern that reaches past its tensor, or a slice of no element. A view computes nothing:
    kernels make them for positions after the last, too, or for the core that is left with none, and
    leave out the call that would use them.
    """

    __slots__ = ("_problem", "_shape")

    def __init__(
        self, of: NkiTensor, shape: tuple[int, ...], dtype: DType, problem: Problem
    ) -> None:
        self.buffer, self._dtype = of.buffer, dtype
        self._shape, self._problem = shape, problem

    @property
    def view_(self) -> View:  # type: ignore[override]
        """Refused: there is none."""
        raise Failure(self._problem)

    @property
    def shape(self) -> tuple[int, ...]:
        """The counts of its pattern, or what its slice leaves."""
        return self._shape
