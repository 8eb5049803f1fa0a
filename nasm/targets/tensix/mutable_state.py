"""Parts of what a core holds that change: saved, and restored in place."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import numpy as np

from nasm.base.records import fields


class MutableState:
    """Parts that change; subclasses are dataclasses of arrays, numbers, tuples and such parts.

    Arrays and parts keep their identity: they are copied when they are saved, and filled when they
    are restored. A field named in ``CACHES`` is left out.
    """

    CACHES: ClassVar[tuple[str, ...]] = ()

    def save(self) -> Any:
        """Everything that changes."""
        return tuple(_saved(getattr(self, name)) for name in self._names())

    def restore(self, saved: Any) -> None:
        """As it was when it was saved; in place."""
        for name, was in zip(self._names(), saved, strict=True):
            now = getattr(self, name)
            if isinstance(now, np.ndarray):
                now[...] = was
            elif isinstance(now, MutableState):
                now.restore(was)
            elif isinstance(now, tuple) and now and isinstance(now[0], MutableState):
                for part, before in zip(now, was, strict=True):
                    part.restore(before)
            else:
                setattr(self, name, was)

    def _names(self) -> tuple[str, ...]:
        kind: Any = type(self)
        return _names_of(kind)


@cache
def _names_of(kind: type[Any]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.name not in kind.CACHES)


def _saved(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, MutableState):
        return value.save()
    if isinstance(value, tuple) and value and isinstance(value[0], MutableState):
        return tuple(part.save() for part in value)
    return value
