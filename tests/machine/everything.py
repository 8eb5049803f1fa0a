"""All that can be reached from a machine, as plain values that compare: whatever changes shows.

It looks into objects, containers, arrays, bound methods, partials and closures. What belongs to
the program, and what a class declares in ``CACHES`` to follow from the rest, is left out.
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections import deque
from typing import Any

import numpy as np

from nasm.machine.grown_table import GrownTable

CONSTANT = ("nasm.isa.", "nasm.base.source", "nasm.base.problems", "nasm.base.dtypes.table")
"""Modules whose objects never change."""

ATOMS = (type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type)


def fields(thing: object) -> list[str]:
    """The names of an object's attributes that may change, in order."""
    names: dict[str, None] = dict.fromkeys(vars(thing)) if hasattr(thing, "__dict__") else {}
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names.update(dict.fromkeys((slots,) if isinstance(slots, str) else slots))
    return [name for name in names if name not in getattr(type(thing), "CACHES", ())]


class Everything:
    """One walk; things that were met before are told apart by when that was."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.kept: list[object] = []  # so that no identity is used twice

    def of(self, thing: Any) -> Any:
        """A thing as a value."""
        if isinstance(thing, ATOMS):
            return repr(thing) if isinstance(thing, float) else thing
        if type(thing).__module__.startswith(CONSTANT):
            return f"constant {id(thing)}"
        if isinstance(thing, np.ndarray):
            digest = hashlib.blake2b(np.ascontiguousarray(thing).tobytes()).hexdigest()
            return str(thing.dtype), thing.shape, digest
        if isinstance(thing, np.generic | np.dtype):
            return repr(thing)
        if isinstance(thing, memoryview):
            return "memory"
        known = self.met.get(id(thing))
        if known is not None:
            return f"met {known}"
        self.met[id(thing)] = len(self.met)
        self.kept.append(thing)
        return type(thing).__name__, self.inside(thing)

    def inside(self, thing: Any) -> Any:
        """What a thing is made of."""
        if isinstance(thing, dict):
            items = sorted(thing.items(), key=lambda item: repr(item[0]))
            own = [(n, self.of(v)) for n, v in vars(thing).items()] if vars_of(thing) else []
            return own, [(self.of(k), self.of(v)) for k, v in items]
        if isinstance(thing, set | frozenset):
            return sorted(repr(self.of(item)) for item in thing)
        if isinstance(thing, list | tuple | deque):
            return [self.of(item) for item in thing]
        if isinstance(thing, GrownTable):  # which may have what lies ahead already
            return [self.of(item) for item in thing.items()]
        if hasattr(thing, "hexdigest"):
            return thing.hexdigest()
        if isinstance(thing, np.random.Generator):
            return self.of(thing.bit_generator.state)
        if isinstance(thing, functools.partial):
            return self.of(thing.func), self.of(thing.args), self.of(thing.keywords)
        if isinstance(thing, types.MethodType):
            return thing.__func__.__qualname__, self.of(thing.__self__)
        if isinstance(thing, types.FunctionType):
            cells = [cell.cell_contents for cell in thing.__closure__ or ()]
            return thing.__qualname__, [self.of(cell) for cell in cells]
        if isinstance(thing, types.BuiltinFunctionType | types.MethodWrapperType):
            return thing.__qualname__
        return [(name, self.of(getattr(thing, name, "unset"))) for name in fields(thing)]


def vars_of(thing: object) -> bool:
    """Whether it has attributes beside its items."""
    return hasattr(thing, "__dict__")


def everything(thing: object) -> Any:
    """All that can be reached from a thing."""
    return Everything().of(thing)


def differences(a: Any, b: Any, path: str = "") -> list[str]:
    """Where two of them differ."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple) and len(a) == len(b):
        if len(a) == 2 and isinstance(a[0], str) and a[0] == b[0]:
            return differences(a[1], b[1], f"{path}/{a[0]}")
        return [d for n, (x, y) in enumerate(zip(a, b, strict=True))
                for d in differences(x, y, f"{path}[{n}]")]  # fmt: skip
    return [] if a == b else [f"{path}: {str(a)[:80]} is now {str(b)[:80]}"]
