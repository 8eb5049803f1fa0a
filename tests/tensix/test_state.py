"""All of a coprocessor is saved, and restored in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from nasm.targets.tensix.mutable_state import MutableState
from nasm.targets.tensix.state import Coprocessor


class Flat:
    """L1 as an array."""

    def __init__(self) -> None:
        self.bytes = np.zeros(64, np.uint8)

    def read(self, address: int, count: int) -> Any:
        return self.bytes[address : address + count].copy()

    def write(self, address: int, data: Any) -> None:
        self.bytes[address : address + len(data)] = data


def _parts(part: MutableState) -> Iterator[tuple[MutableState, str]]:
    for f in fields(part):  # type: ignore[arg-type]
        value = getattr(part, f.name)
        inner = value if isinstance(value, tuple) else (value,)
        if inner and isinstance(inner[0], MutableState):
            for each in inner:
                yield from _parts(each)
        elif f.name not in part.CACHES:
            yield part, f.name


def test_every_field_comes_back_in_place() -> None:
    core = Coprocessor(Flat())
    before, saved = {}, core.save()
    for part, name in _parts(core):
        value = getattr(part, name)
        before[id(part), name] = value.copy() if isinstance(value, np.ndarray) else value
        if isinstance(value, np.ndarray):
            value[...] = 1 - value if value.dtype == np.bool_ else value + 1
        else:
            setattr(part, name, (1,) if isinstance(value, tuple) else value + 1)
    assert len(before) > 40
    arrays = {k: getattr(p, k[1]) for p, n in _parts(core) for k in [(id(p), n)]}
    core.restore(saved)
    for part, name in _parts(core):
        value = getattr(part, name)
        assert np.array_equal(value, before[id(part), name]), name
        if isinstance(value, np.ndarray):
            assert value is arrays[id(part), name], name
