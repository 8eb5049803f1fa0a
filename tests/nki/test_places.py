"""Where in a kernel an instruction is made: its line, and the calls that led there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import nasm.nki
from nasm.base.source import Span
from nasm.nki import isa as nisa
from nasm.nki import language as nl


def lines(kernel: Any) -> list[tuple[int, ...]]:
    """The lines of each memset of a kernel, counted from its first: its own, then its callers'."""
    program = nasm.nki.trace(kernel, np.zeros((2, 2), np.float32)).program
    first, found = kernel.__code__.co_firstlineno, []

    def line(span: Span | None) -> int:
        assert span is not None
        return span.source.text.count("\n", 0, span.start) + 1 - first

    for queue in program.queues:
        for number, span, chain in zip(queue.instructions, queue.spans, queue.chains, strict=True):
            if program.instructions[number].row.name == "Memset":
                outer = reversed(program.chains[chain])
                found.append((line(program.spans[span]), *(line(frame.span) for frame in outer)))
    return sorted(found)


def test_calls_of_one_function_have_their_own_lines() -> None:
    def kernel(x: Any) -> Any:
        tile = nl.ndarray((2, 2), nl.float32)

        def twice() -> None:
            nisa.memset(tile, 1.0)
            nisa.memset(tile, 2.0)

        twice()
        twice()
        nisa.memset(tile, 3.0)
        nl.store(x, tile)
        return x

    assert lines(kernel) == [(4, 7), (4, 8), (5, 7), (5, 8), (9,)]


def test_a_generator_is_called_by_what_resumes_it() -> None:
    def kernel(x: Any) -> Any:
        tile = nl.ndarray((2, 2), nl.float32)

        def each() -> Iterator[None]:
            while True:
                nisa.memset(tile, 1.0)
                yield

        def through() -> Iterator[None]:
            yield from each()

        steps = through()
        next(steps)
        next(steps)
        nl.store(x, tile)
        return x

    assert lines(kernel) == [(5, 9, 12), (5, 9, 13)]
