"""What tests let live in other processes."""

from __future__ import annotations

import time
from typing import Any


class Adder:
    """Keeps a sum."""

    def __init__(self, first: int) -> None:
        if first < 0:
            raise ValueError("below 0")
        self.sum = first

    def add(self, count: int) -> int:
        """Add a number."""
        self.sum += count
        return self.sum

    def echo(self, value: Any) -> Any:
        """The value."""
        return value

    def fail(self, portable: bool) -> None:
        """Raise something."""
        raise KeyError("this") if portable else Odd("that", 3)

    def odd(self) -> Any:
        """Something that does not pickle."""
        return lambda: 0

    def sleep(self) -> None:
        """For long."""
        time.sleep(100)


class Odd(Exception):
    """An exception that does not pickle."""

    def __init__(self, what: str, more: int) -> None:
        super().__init__(what)


class Unmade:
    """Pickles, and cannot be made of that."""

    def __reduce__(self) -> Any:
        return _refuse, ()


def _refuse() -> None:
    raise RuntimeError("cannot be made here")
