"""A fuzzer whose inputs are words for what goes wrong with them: it tries the others' machinery."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from tests.fuzz import promises
from tests.fuzz.finding import Found


class Planted:
    """Words, most of which do nothing."""

    name, suffix, each = "planted", ".words", 1
    memory, seconds = 1 << 30, 0.2

    def make(self, rng: Random) -> bytes:
        """A text in which one word may be bad."""
        word = rng.choice([*FAULTS, *["fine"] * len(FAULTS)])
        return " ".join(["a", "b", word, "c"]).encode()

    def check(self, data: bytes) -> None:
        """Do what the words say."""
        for word in data.decode().split():
            FAULTS.get(word, lambda: None)()

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Its words."""
        yield [word + b" " for word in data.split()]


def _raise() -> None:
    raise LookupError("of our own")


def _find() -> None:
    raise Found("name", "a planted name")


def _hang() -> None:
    try:
        while True:
            time.process_time()
    except Exception:
        return


FAULTS: dict[str, Callable[[], object]] = {
    "raise": _raise,
    "leave": lambda: os._exit(3),
    "find": _find,
    "hang": _hang,
    "fill": lambda: np.ones(1 << 40, np.uint8),
    "warn": lambda: warnings.warn("of Python", RuntimeWarning, stacklevel=1),
    "show": lambda: promises.shown("\x1b[2J", "a word"),
    "write": lambda: promises.document({"worst": float("nan")}),
}
