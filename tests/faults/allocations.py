"""NumPy's allocations, one of which fails: its allocator is replaced as NEP 49 has it.

Only ``malloc``, ``calloc`` and ``realloc`` are replaced. What was allocated so is freed by NumPy's
own function, so that arrays may outlive this.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

LARGE = 256
"""Bytes from which an array counts; smaller ones NumPy takes from a cache of its own."""

_SIZE, _PLACE = ctypes.c_size_t, ctypes.c_void_p
_ARGUMENTS = {
    "malloc": (_PLACE, _PLACE, _SIZE),
    "calloc": (_PLACE, _PLACE, _SIZE, _SIZE),
    "realloc": (_PLACE, _PLACE, _PLACE, _SIZE),
}
"""What each of its functions returns, and takes."""

_SET, _GET = 304, 305
"""Where NumPy's table of functions has PyDataMem_SetHandler and PyDataMem_GetHandler."""


class _Handler(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("ctx", _PLACE),
        ("malloc", _PLACE),
        ("calloc", _PLACE),
        ("realloc", _PLACE),
        ("free", _PLACE),
    )


_capsule = ctypes.pythonapi.PyCapsule_GetPointer
_capsule.restype, _capsule.argtypes = _PLACE, [ctypes.py_object, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [_PLACE, ctypes.c_char_p, _PLACE]


def _function(number: int, *arguments: Any) -> Any:
    from numpy._core import _multiarray_umath

    table = ctypes.cast(_capsule(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(_PLACE))
    return ctypes.PYFUNCTYPE(ctypes.py_object, *arguments)(table[number])


class Allocations:
    """Counts allocations of at least so many bytes, and lets one fail."""

    def __init__(self) -> None:
        self.count, self.failing = 0, -1
        own = _Handler.from_address(_capsule(_function(_GET)(), b"mem_handler"))
        self._made = _Handler.from_buffer_copy(own)
        self._made.name = b"nasm_tests"
        self._ours = []  # as long as this is there
        for name, kinds in _ARGUMENTS.items():
            # NumPy's own functions are called with the lock held, which they release themselves.
            ours = ctypes.CFUNCTYPE(*kinds)(
                self._replaced(ctypes.PYFUNCTYPE(*kinds)(getattr(own, name)))
            )
            self._ours.append(ours)
            setattr(self._made, name, ctypes.cast(ours, _PLACE).value)
        self._capsule = _new_capsule(ctypes.addressof(self._made), b"mem_handler", None)

    def _replaced(self, own: Callable[..., int | None]) -> Callable[..., int | None]:
        def allocate(ctx: int, *numbers: int) -> int | None:
            size = numbers[-1] if own_takes_place else prod(numbers)
            if size >= LARGE:
                self.count += 1
                if self.count == self.failing:
                    return None
            return own(ctx, *numbers)

        own_takes_place = own.argtypes[1] is _PLACE  # type: ignore[attr-defined]
        return allocate

    @contextlib.contextmanager
    def watched(self, failing: int = -1) -> Iterator[None]:
        """Within it the allocation of this number, counted from 1, finds no memory."""
        self.count, self.failing = 0, failing
        exchange = _function(_SET, ctypes.py_object)
        before = exchange(self._capsule)
        try:
            yield
        finally:
            exchange(before)


ALLOCATIONS = Allocations()
"""There is one for the process: arrays that it made refer to it."""


def works() -> bool:
    """Whether this NumPy lets its allocator be replaced."""
    try:
        with ALLOCATIONS.watched(1):
            np.empty(LARGE, np.uint8)
    except MemoryError:
        return True
    return False
