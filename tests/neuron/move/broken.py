"""Copies and fills."""

from __future__ import annotations

from tests.neuron.broken import Broken


def cases() -> list[Broken]:
    number = "the value is of dst's class"
    return [
        Broken("TensorCopy", "dst and src have", "E0404", "src 32", "@vector TensorCopy c, thin"),
        Broken("Memset", number, "E0405", "wanted an integer", "@vector Memset i, 1.5"),
        Broken("Memset", number, "E0405", "wanted -32768 to 32767", "@vector Memset j, 40000"),
        Broken("Memset", number, "E0405", "wanted 0", "@vector Memset w, 1", "trn3"),
        Broken("Memset", number, "E0405", "a power of two", "@vector Memset scale, 3", "trn3"),
    ]
