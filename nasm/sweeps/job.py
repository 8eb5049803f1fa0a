"""A run as data: a program or a kernel, what it is run with, and how. It can be sent elsewhere."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from nasm.base.array_files import ArrayFile
from nasm.base.records import dataclass, field, is_dataclass
from nasm.base.source import Source
from nasm.base.source_files import Given, ObjectFile
from nasm.machine.inputs import Inputs
from nasm.nki.engines import USUAL
from nasm.runs.settings import RunSettings

Parameter = int | float | str | list[Any] | tuple[Any, ...]
"""A value that a run is made with."""

Point = Mapping[str, Parameter]
"""The values that a run is made with, by name."""

OUTSIDE = frozenset(("deadline", "memory", "progress", "keep", "trace", "profile", "reruns"))
"""Settings that decide neither what a run computes nor how long it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCall:
    """A kernel, named as ``kernel.py:name``, and what it is called with in addition to arrays.

    ``arguments`` are as Python writes them; ``lnc``, ``dma`` and ``hoist`` are as for
    :func:`nasm.nki.trace`. Unless ``python`` is true it is refused.
    """

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    lnc: int | None = None
    dma: str = USUAL
    hoist: bool | None = None
    python: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJob:
    """One run of many: ``point`` is what tells it from the others."""

    program: Given | KernelCall
    inputs: Inputs | None
    settings: RunSettings
    point: Point

    @property
    def key(self) -> str:
        """A name for all that decides the result but the contents of files, as 32 hex digits."""
        settings = {
            name: getattr(self.settings, name)
            for name in RunSettings.__annotations__
            if name not in OUTSIDE
        }
        made = hashlib.sha256()
        for part in (self.program, self.inputs, settings, dict(self.point)):
            _add(made, part)
        return made.hexdigest()[:32]


def _add(made: Any, value: Any) -> None:
    """Add a value to a hash, so that two of the same hash are equal; TypeError for one of no kind.

    The name of a text is left out: the same text in another folder is the same program, as long as
    the files that it reads are the same.
    """
    match value:
        case None | bool() | int() | float() | str() | bytes():
            text = value if isinstance(value, bytes) else repr(value).encode()
            made.update(f"{type(value).__name__}{len(text)}:".encode() + text)
        case np.ndarray():
            made.update(f"array{value.dtype.name}{value.shape}:".encode())
            made.update(np.ascontiguousarray(value).tobytes())
        case Source():
            _add(made, ("text", value.text))
        case ObjectFile():
            _add(made, ("object", value.data))
        case os.PathLike():
            _add(made, ("path", os.fspath(value)))
        case np.generic():
            _add(made, value.item())
        case Mapping():
            _add(made, [(str(key), value[key]) for key in sorted(value, key=str)])
        case list() | tuple() | set() | frozenset():
            made.update(f"list{len(value)}:".encode())
            for each in sorted(value) if isinstance(value, set | frozenset) else value:
                _add(made, each)
        case ArrayFile():
            _add(made, ("file", *(getattr(value, name) for name in _names(value))))
        case _ if is_dataclass(value):
            _add(made, (type(value).__name__, {n: getattr(value, n) for n in _names(value)}))
        case _ if hasattr(value, "__array__"):
            _add(made, np.asarray(value))
        case _:
            raise TypeError(f"a run of many takes data, found {type(value).__name__}")


def _names(record: Any) -> list[str]:
    return list(type(record).__annotations__)
