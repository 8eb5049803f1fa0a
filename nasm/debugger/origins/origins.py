"""What values came from: elements of memories, registers, and what engines hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nasm.base.records import dataclass
from nasm.debugger.origins.argument_arrays import Path
from nasm.debugger.origins.elements import Numbers, TensorElements
from nasm.machine import Machine

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class RegisterOrigin:
    """A register of a queue."""

    queue: int
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class EngineElements:
    """Some elements of an array that is part of what an engine holds."""

    queue: int
    name: str
    path: Path
    numbers: Numbers
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numbers)


Place = TensorElements | RegisterOrigin | EngineElements
"""Where a value is: in a memory, a register, or an engine."""


@dataclass(frozen=True, slots=True)
class OfCore:
    """Parts of what cores hold, or memory that these write by address, as an expression of them."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """What a value came from: a place, the values it had there, and what they were read as.

    ``role`` is the operand; "entries" or "address" decide where something is, and "before" is what
    the place itself held, to which something was added, or of which a part was kept.
    """

    role: str
    place: Place
    values: Array


BEFORE, ENTRIES, ADDRESS = "before", "entries", "address"


Answer = tuple[int, Numbers, Numbers]
"""A result or a move by number, which of its elements, and for which of those asked about."""


def joined(origins: Sequence[Origin]) -> list[Origin]:
    """Several boxes of one tensor that one operand read, or of what an engine holds, as one."""
    alike: dict[Any, list[Origin]] = {}
    for origin in origins:
        place = origin.place
        key: Any = place
        if isinstance(place, TensorElements):
            key = place.tensor.index, place.dtype
        elif isinstance(place, EngineElements):
            key = place.name, place.path
        alike.setdefault((origin.role, key), []).append(origin)
    found: list[Origin] = []
    for (role, _), some in alike.items():
        places = [origin.place for origin in some]
        place = places[0]
        if len(some) == 1 or isinstance(place, RegisterOrigin):
            found.append(some[0])
            continue
        read = np.concatenate([origin.values for origin in some])
        if isinstance(place, TensorElements):
            every = [p for p in places if isinstance(p, TensorElements)]
            rows, lows = (np.concatenate([getattr(p, n) for p in every]) for n in ("rows", "lows"))
            place = TensorElements(place.tensor, place.dtype, rows, lows)
        else:
            numbers = np.concatenate([p.numbers for p in places if isinstance(p, EngineElements)])
            place = EngineElements(place.queue, place.name, place.path, numbers, place.shape)
        found.append(Origin(role, place, read))
    return found


def values(machine: Machine, place: TensorElements) -> Array:
    """What some elements hold now."""
    store = machine.state.by_tensor[place.tensor.index]
    size = place.dtype.itemsize
    starts = (place.rows - store.row) * store.pitch + place.lows - store.base
    raw = store.data.reshape(-1)[starts[:, None] + np.arange(size)]
    return np.asarray(np.ascontiguousarray(raw).view(place.dtype.numpy).reshape(-1))
