"""Tensors as kernels have them: some storage and a view of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nasm.nki.names import DTYPES, DType, MemoryRegion, VirtualRegister, ds
from nasm.nki.wrong import refuse
from nasm.problems import Failure, Refused
from nasm.spec.reshape import restepped
from nasm.spec.view import ALL, Reg, View, Window


class NkiTensor:
    """A view of a tensor in one of the memories. On chip axis 0 counts partitions.

    What it holds is not known while a kernel is traced. Every method gives another view of the same
    storage.
    """

    __slots__ = ("buffer", "held", "view_")

    def __init__(self, view: View, buffer: MemoryRegion, held: object = None) -> None:
        self.view_, self.buffer, self.held = view, buffer, held

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
        """What its elements are."""
        return DTYPES.get(self.view_.dtype.name) or DType(self.view_.dtype.name)

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
        reach = 1
        first = 1 if self.on_chip else 0
        for count, step in reversed(
            list(zip(self.shape[first:], self.view_.steps[first:], strict=True))
        ):
            if count != 1 and step != reach:
                return False
            reach *= count
        return True

    def is_indirect(self) -> bool:
        """Whether the run decides where it is."""
        return bool(self.view_.dynamic) or self.view_.offsets is not None

    # -- other views

    def _made(self, view: View) -> NkiTensor:
        return NkiTensor(view, self.buffer, self.held)

    def _axis(self, dim: int) -> int:
        if type(dim) is not int or not -self.ndim <= dim < self.ndim:
            refuse(f"no axis {dim!r}: {self.name}{list(self.shape)} has {self.ndim} axes")
        return dim % self.ndim

    def __getitem__(self, key: Any) -> NkiTensor:
        items = list(key) if isinstance(key, tuple) else [key]
        if any(item is Ellipsis for item in items):
            at = next(n for n, item in enumerate(items) if item is Ellipsis)
            items[at : at + 1] = [ALL] * (self.ndim - len(items) + 1)
        return self._indexed([_item(item, self) for item in items])

    def _indexed(self, items: list[Any]) -> NkiTensor:
        """Slice it: on chip at least two axes stay, and the partition axis always does."""
        if len(items) > self.ndim:
            refuse(f"{len(items)} indices for the {self.ndim} axes of {self.name}")
        items += [ALL] * (self.ndim - len(items))
        dropped = [n for n, item in enumerate(items) if isinstance(item, int)]
        if self.on_chip:
            dropped = [n for n in dropped if n]
            while dropped and self.ndim - len(dropped) < 2:
                dropped.pop()
        for n, item in enumerate(items):
            if isinstance(item, int):
                low = item + self.shape[n] if item < 0 else item
                if not 0 <= low < self.shape[n]:
                    refuse(
                        f"index {item} is outside axis {n} of {self.name}, "
                        f"which has {self.shape[n]}"
                    )
                items[n] = slice(low, low + 1)
        view = self._cut(items)
        if not dropped:
            return self._made(view)
        if len(dropped) == len(view.shape):
            dropped.pop()
        return self._made(_without(view, dropped))

    def _cut(self, items: list[Any]) -> View:
        try:
            return self.view_.index(items)
        except Refused as refused:
            refuse(refused.message, refused.hint, refused.code)

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse(
            f"an assignment to elements of {self.name}: a tensor is written by a call",
            "for example nisa.tensor_copy(dst=…, src=…), or nl.store(dst, value) for HBM",
        )

    def slice(self, dim: int, start: int, end: int, step: int = 1) -> NkiTensor:
        """Positions [start, end) of an axis."""
        items: list[Any] = [ALL] * self.ndim
        items[self._axis(dim)] = _item(slice(start, end, step), self)
        return self._made(self._cut(items))

    def select(self, dim: int, index: Any) -> NkiTensor:
        """One position of an axis, which goes; the run may decide which."""
        axis = self._axis(dim)
        if not isinstance(index, NkiTensor | VirtualRegister):
            items: list[Any] = [ALL] * self.ndim
            items[axis] = _item(index, self)
            return self._indexed(items)
        if self.is_indirect():
            refuse(f"{self.name} is already addressed at run time")
        if axis == 0 and self.on_chip and isinstance(index, NkiTensor):
            refuse(
                f"select of the partition axis of {self.name} by a tile",
                "load the index into a register: nisa.register_load",
            )
        whole = self._cut([*[ALL] * axis, slice(0, 1)])
        if isinstance(index, VirtualRegister):
            items = [ALL] * self.ndim
            items[axis] = Window(Reg(index.number), 1)
            whole = self._cut(items)
            keep = (axis == 0 and self.on_chip) or len(whole.shape) == 1 + self.on_chip
            return self._made(whole if keep else _without(whole, [axis]))
        return self._moved(whole, axis, scalar_offset=index)

    def _moved(self, part: View, axis: int, scalar_offset: NkiTensor) -> NkiTensor:
        """A part of it, moved along one of its axes by what a tile of one element holds."""
        from nasm.spec.offsets import moved

        rest = part if len(part.shape) <= 1 + self.on_chip else _without(part, [axis])
        try:
            return self._made(moved(rest, self.view_, scalar_offset.view_, axis))
        except Refused as refused:
            refuse(refused.message, refused.hint, refused.code)

    def vector_select(self, dim: int, vector_offset: NkiTensor) -> NkiTensor:
        """Of axis 0 the positions that a tile names, one for each partition."""
        count = vector_offset.shape[0]
        pattern = [[self.strides[0], count], *self.get_pattern()[1:]]
        if self._axis(dim) or self.on_chip:
            refuse("vector_select is along axis 0 of a tensor in HBM")
        return self.ap(pattern, vector_offset=vector_offset, indirect_dim=0)

    def permute(self, dims: Sequence[int]) -> NkiTensor:
        """The axes in another order; the partition axis stays first."""
        return self._method("permute", tuple(dims))

    def broadcast(self, dim: int, size: int) -> NkiTensor:
        """An axis of 1 repeated."""
        axis = self._axis(dim)
        sizes = [*self.shape[:axis], size, *self.shape[axis + 1 :]]
        return self._method("broadcast", *sizes)

    def expand_dim(self, dim: int) -> NkiTensor:
        """A new axis of 1."""
        if type(dim) is not int or not int(self.on_chip) <= dim <= self.ndim:
            refuse(f"expand_dim({dim!r}) of {self.name}{list(self.shape)}")
        view = self.view_
        shape = (*view.shape[:dim], 1, *view.shape[dim:])
        steps = (*view.steps[:dim], 0, *view.steps[dim:])
        return self._made(_shifted(replace(view, shape=shape, steps=steps), dim, 1))

    def squeeze_dim(self, dim: int) -> NkiTensor:
        """Without an axis of 1."""
        axis = self._axis(dim)
        if self.shape[axis] != 1 or (axis == 0 and self.on_chip):
            refuse(f"squeeze_dim({dim}) of {self.name}{list(self.shape)}: wanted a free axis of 1")
        return self._made(_without(self.view_, [axis]))

    def reshape_dim(self, dim: int, shape: Sequence[int]) -> NkiTensor:
        """An axis as several."""
        axis = self._axis(dim)
        sizes = list(shape)
        if -1 in sizes:
            sizes[sizes.index(-1)] = self.shape[axis] // -math.prod(sizes)
        if axis == 0 and self.on_chip and tuple(sizes) == (self.shape[0],):
            return self
        return self.reshape([*self.shape[:axis], *sizes, *self.shape[axis + 1 :]])

    def flatten_dims(self, start_dim: int, end_dim: int) -> NkiTensor:
        """Several axes as one."""
        first, last = self._axis(start_dim), self._axis(end_dim)
        size = math.prod(self.shape[first : last + 1])
        return self.reshape([*self.shape[:first], size, *self.shape[last + 1 :]])

    def reshape(self, *shape: Any) -> NkiTensor:
        """Other sizes of the axes, without moving an element."""
        sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if -1 in sizes:
            rest = -math.prod(sizes)
            sizes = tuple(self.size // rest if n == -1 else n for n in sizes)
        view = self.view_
        if self.is_indirect() and sizes[:1] == view.shape[:1] and not view.dynamic:
            steps = restepped(view.shape[1:], view.steps[1:], sizes[1:])
            if steps is not None:
                return self._made(replace(view, shape=sizes, steps=(view.steps[0], *steps)))
        return self._method("reshape", sizes)

    def rearrange(
        self,
        src_pattern: Sequence[Any],
        dst_pattern: Sequence[Any],
        fixed_sizes: dict[str, int] | None = None,
    ) -> NkiTensor:
        """Axes split, put in another order and merged, by names."""
        from nasm.nki.rearranging import rearranged

        return rearranged(self, src_pattern, dst_pattern, fixed_sizes or {})

    def ap(
        self,
        pattern: Sequence[Sequence[int]],
        offset: int | None = None,
        scalar_offset: Any = None,
        vector_offset: Any = None,
        indirect_dim: int = 0,
        dtype: Any = None,
    ) -> NkiTensor:
        """The access pattern itself, in elements of its storage."""
        view = self.view_ if dtype is None else _retyped(self.view_, dtype)
        start = self.offset * self.view_.dtype.itemsize // view.dtype.itemsize
        pairs = [[int(step), int(count)] for step, count in pattern]
        if self.on_chip and vector_offset is None:
            pairs[0][0] = self._partitions(pairs[0], view)
        more: dict[str, Any] = {}
        if scalar_offset is not None:
            by = scalar_offset
            more["scalar_offset"] = Reg(by.number) if isinstance(by, VirtualRegister) else by.view_
            more["indirect_dim"] = indirect_dim
        if vector_offset is not None:
            more["vector_offset"] = vector_offset.view_
            more["indirect_dim"] = indirect_dim
        made = _called(view, "ap", pairs, start if offset is None else int(offset), **more)
        return self._made(made)

    def _partitions(self, pair: list[int], view: View) -> int:
        """The step of a pattern's first pair; that of a single partition does not matter."""
        row = view.tensor.bytes // view.dtype.itemsize
        return row if pair[1] == 1 else pair[0]

    def view(self, dtype: Any) -> NkiTensor:
        """The same bytes as another dtype."""
        return self._method("view", DType(dtype).stored.name)

    reinterpret_cast = view

    def indirect(self, index: NkiTensor, num_elem: int | None = None) -> NkiTensor:
        """The columns that a tile of entries names."""
        return self._method("indirect", index.view_, num_elem)

    def _method(self, name: str, *given: Any) -> NkiTensor:
        return self._made(_called(self.view_, name, *given))

    # -- what it is not

    def __bool__(self) -> bool:
        refuse(
            f"a branch on what {self.name} holds: that is known when the program runs",
            "load it into a register and loop on that, or compute both and select",
        )

    def __iter__(self) -> Any:
        refuse(f"a loop over {self.name}: index it, as in {self.name}[i]")

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        return f"<{self.buffer} {self.name} {self.dtype}[{sizes}]>"


def _called(view: View, name: str, *given: Any, **named: Any) -> View:
    """A view method of the language, refused at the kernel's line."""
    try:
        made: View = getattr(view, name)(*given, **named)
        return made
    except Failure as failure:
        problem = failure.problems[0]
        refuse(problem.message, problem.hint, problem.code)


def _retyped(view: View, dtype: Any) -> View:
    """The storage as another dtype, whatever the view of it; its start stays."""
    return replace(view, dtype=DType(dtype).stored)


def _item(item: Any, tensor: NkiTensor) -> Any:
    """An index of a kernel as one of a view."""
    if isinstance(item, ds):
        start = item.start
        if isinstance(start, VirtualRegister):
            return Window(Reg(start.number), int(item.size))
        return slice(int(start), int(start) + int(item.size))  # type: ignore[call-overload]
    if isinstance(item, VirtualRegister):
        return Window(Reg(item.number), 1)
    if isinstance(item, slice):
        parts = (item.start, item.stop, item.step)
        if any(isinstance(p, VirtualRegister) for p in parts):
            refuse(
                "a slice whose bounds are in a register",
                "write nl.ds(register, size): the size is known while tracing",
            )
        made = slice(*(None if p is None else int(p) for p in parts))
        return ALL if made == ALL else made
    if isinstance(item, NkiTensor):
        refuse(
            f"{tensor.name} indexed by a tensor",
            "write .select(axis, tile), or .ap(…, vector_offset=tile)",
        )
    try:
        return int(item)
    except TypeError:
        refuse(f"an index of {tensor.name} is a number, a slice or nl.ds, found {item!r}")


def _without(view: View, axes: Sequence[int]) -> View:
    """A view without some axes of 1."""
    keep = [n for n in range(len(view.shape)) if n not in axes]
    made = replace(
        view, shape=tuple(view.shape[n] for n in keep), steps=tuple(view.steps[n] for n in keep)
    )
    for axis in sorted(axes, reverse=True):
        made = _shifted(made, axis, -1)
    return made


def _shifted(view: View, axis: int, by: int) -> View:
    """What a register moves, with the axes behind one counted anew."""
    if not view.dynamic:
        return view
    return replace(
        view,
        dynamic=tuple(
            replace(d, axis=max(d.axis + by, 0)) if d.axis >= axis and d.axis else d
            for d in view.dynamic
        ),
    )
