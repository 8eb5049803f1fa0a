"""What a kernel is called with, as it gets it; and what it returns, as the caller gets it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.nki.by_rank import ByRank
from nasm.nki.frameworks import UNFIT, Array, as_array, framework, stored
from nasm.nki.names import DTYPES, HBM, DType, MemoryRegion
from nasm.nki.objects import NKIObject
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import CoreTrace
from nasm.views.view import View


@dataclass(frozen=True, slots=True)
class Returned:
    """Where a kernel returned a tensor: its name, and the part of it."""

    name: str
    view: View

    def same(self, other: Returned) -> bool:
        """Whether two cores returned one tensor, or each its own of the same kind."""
        mine, theirs = self.view.tensor, other.view.tensor
        return mine is theirs or (
            mine.core != theirs.core and (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        )

    def of(self, whole: Array) -> Array:
        """The part, of the elements of its tensor."""
        view = self.view
        if (
            view.shape == whole.shape
            and view.dtype is view.tensor.dtype
            and view == View.whole(view.tensor)
        ):
            return whole
        flat = np.ascontiguousarray(whole).reshape(-1).view(np.uint8)
        held = flat[view.offset :]
        typed = held[: len(held) // view.dtype.itemsize * view.dtype.itemsize].view(
            view.dtype.numpy
        )
        strides = tuple(step * view.dtype.itemsize for step in view.steps)
        return np.lib.stride_tricks.as_strided(typed, view.shape, strides).copy()


class Arguments:
    """The arguments of one call: each array is a tensor, the same one wherever it is passed.

    Tensors are declared where the kernel is, at ``span``. Raises Refused.
    ``given`` are the arrays as they were passed, by the names of their tensors.
    """

    def __init__(self, trace: CoreTrace, span: Span | None) -> None:
        self.trace, self.span = trace, span
        self.given: dict[str, Any] = {}
        self.homes: set[str] = set()
        self._tensors: dict[int, NkiTensor] = {}

    def passed(self, name: str, value: Any) -> Any:
        """An argument as a kernel gets it: arrays as tensors in HBM, all else as it is."""
        if isinstance(value, ByRank):
            return self._of_ranks(name, value)
        home = framework(value)
        if home:
            if id(value) not in self._tensors:
                self._tensors[id(value)] = self._declared(name, value, home)
            return self._handed(self._tensors[id(value)])
        return mapped(value, name, lambda part, inner: self.passed(inner, part))

    def _of_ranks(self, name: str, value: ByRank) -> NkiTensor:
        """The tensor of an argument that is another array on each rank: rank 0's, then all."""
        ranks = self.trace.builder.program.ranks
        if len(value) != ranks:
            raise Refused(
                UNFIT,
                f"argument {name} is {value!r} arrays",
                f"wanted one for each of {ranks} ranks",
            )
        if id(value) not in self._tensors:
            first = value.parts[0]
            made = self._tensors[id(value)] = self._declared(name, first, framework(first))
            self.given[made.name] = value
            dtype = self.trace.arrays[made.name].dtype
            held = [array.view(dtype) for array in value.held()]
            self.trace.arrays[made.name] = np.stack(held)
        return self._handed(self._tensors[id(value)])

    @staticmethod
    def _handed(made: NkiTensor) -> NkiTensor:
        """A tensor as the kernel gets it, which may change its own."""
        return NkiTensor(made.view_, made.buffer, made.dtype)

    def _declared(self, name: str, value: Any, home: str) -> NkiTensor:
        try:
            array = as_array(value)
            assert array is not None
            dtype, held = stored(array)
        except Refused as refused:
            message = f"argument {name} is {refused.message}"
            raise Refused(refused.code, message, refused.hint) from None
        buffer = MemoryRegion.shared_hbm if self.trace.cores > 1 else HBM
        named = DTYPES["bool_"] if array.dtype == np.bool_ else DType(dtype.name)
        made = self.trace.tensor(held.shape, named, buffer, name, role="input", array=held)
        made.view_.tensor.span = self.span
        self.homes.add(home)
        self.given[made.name] = value
        return made

    @property
    def home(self) -> str:
        """Whose arrays results are given back as."""
        return next((home for home in ("torch", "jax") if home in self.homes), "numpy")


def mapped(value: Any, name: str, each: Callable[[Any, str], Any]) -> Any:
    """A container with something else in it; what is none as it is.

    Tuples, lists and dicts, and objects of the classes that kernels declare.
    """
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        made = [each(v, f"{name}_{n}") for n, v in zip(value._fields, value, strict=True)]
        return value if _same(made, value) else type(value)(*made)
    if isinstance(value, list | tuple):
        made = [each(v, f"{name}_{n}") for n, v in enumerate(value)]
        return value if _same(made, value) else type(value)(made)
    if isinstance(value, dict):
        made = [each(v, f"{name}_{key}") for key, v in value.items()]
        return value if _same(made, value.values()) else dict(zip(value, made, strict=True))
    if isinstance(value, NKIObject) or (
        dataclasses.is_dataclass(value) and not isinstance(value, type)
    ):
        fields = vars(value) if hasattr(value, "__dict__") else {}
        changed = {n: m for n, v in fields.items() if (m := each(v, f"{name}_{n}")) is not v}
        if changed:
            value = copy.copy(value)
            for field, made in changed.items():
                object.__setattr__(value, field, made)
    return value


def _same(made: Iterable[Any], before: Iterable[Any]) -> bool:
    return all(a is b for a, b in zip(made, before, strict=True))


def returned(value: Any, span: Span | None) -> Any:
    """What a kernel returned, with a record wherever it returned a tensor.

    Refuses what is no tensor that the caller can read, where it is declared, and a kernel whose
    text has not been executed at all; ``span`` is the kernel's.
    """
    if inspect.isgenerator(value) or inspect.iscoroutine(value) or inspect.isasyncgen(value):
        what = "a coroutine" if inspect.iscoroutine(value) else "a generator"
        if not inspect.isasyncgen(value):
            value.close()
        message = f"the kernel is {what}, of which a call executes nothing"
        raise Failure(Problem(UNFIT, message, span, "end it with a return; no yield, no coroutine"))
    if not isinstance(value, NkiTensor):
        return mapped(value, "", lambda part, _: returned(part, span))
    declared = value.view_.tensor.span or span
    if value.on_chip:
        message = f"the kernel returns {value!r}: wanted a tensor in HBM"
        hint = "nl.ndarray(…, buffer=nl.shared_hbm) makes one; copy the result there"
        raise Failure(Problem(UNFIT, message, declared, hint))
    if value.is_indirect():
        message = f"the kernel returns a part of {value.name} that the run decides"
        hint = "return the whole tensor, or copy the part into another one"
        raise Failure(Problem(UNFIT, message, declared, hint))
    return Returned(value.name, value.view_)


def filled(value: Any, each: Callable[[Returned], Any]) -> Any:
    """What a kernel returned, with an array wherever it returned a tensor."""
    if isinstance(value, Returned):
        return each(value)
    return mapped(value, "", lambda part, _: filled(part, each))


def outputs(value: Any) -> list[Returned]:
    """The tensors that a kernel returned, in order."""
    found: list[Returned] = []
    filled(value, found.append)
    return found
