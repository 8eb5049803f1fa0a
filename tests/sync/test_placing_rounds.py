"""Random loops, executed: what is read is what was written, although tensors share bytes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from nasm.views.tensor import Tensor
from tests import parts
from tests.sync.placed import PLAIN, Writes, refused, tensor

ROWS, TENSORS, SIZE = 4, 4, 32
"""Three of the four tensors have room beside each other."""
PARTS = [slice(None), slice(0, 2), slice(2, None), slice(None, None, 2), slice(1, None, 2)]


def body(rng: random.Random, made: list[Tensor], depth: int, now: int = 0) -> list[Any]:
    """Instructions and loops that have to do with one tensor for a while, then with the next.

    Most writes are of a whole tensor, some of a part.
    """
    found: list[Any] = []
    for _ in range(rng.randrange(2, 9)):
        now = (now + (rng.randrange(4) == 0)) % len(made)
        if depth and rng.randrange(4) == 0:
            found.append(body(rng, made, depth - 1, now))
            continue
        reads = (made[now],) if rng.randrange(3) else ()
        if rng.randrange(2):
            found.append(reads)
            continue
        rows, columns = (rng.choice(PARTS) if rng.randrange(4) == 0 else PARTS[0] for _ in "ab")
        found.append(Writes(made[now], reads[: rng.randrange(2)], rows, columns))
    return found


def executed(parts: list[Any], rng: random.Random) -> Iterator[Any]:
    """The instructions of a run: each loop has up to three rounds, each time it is entered."""
    for part in parts:
        if isinstance(part, list):
            for _ in range(rng.randrange(4)):
                yield from executed(part, rng)
        else:
            yield part


def misread(text: list[Any], made: list[Tensor], rng: random.Random) -> bool:
    """Whether a read of a run finds something else than what was written last, if anything was."""
    shared = np.zeros((ROWS, PLAIN.size), np.int64)
    apart = {one.name: np.zeros((ROWS, SIZE), np.int64) for one in made}
    here = {one.name: shared[:, one.offset or 0 :][:, :SIZE] for one in made}
    values = itertools.count(1)
    for part in executed(text, rng):
        for read in part.reads if isinstance(part, Writes) else part:
            held = apart[read.name]
            if (here[read.name][held != 0] != held[held != 0]).any():
                return True
        if isinstance(part, Writes):
            value = next(values)
            apart[part.tensor.name][part.rows, part.columns] = value
            here[part.tensor.name][part.rows, part.columns] = value
    return False


@pytest.mark.parametrize("batch", range(4))
def test_what_is_read_is_what_was_written_last(batch: int) -> None:
    tight = 0
    for seed in parts.part(range(1000 * batch, 1000 * batch + 600), 35):
        rng = random.Random(seed)
        made = [tensor(f"t{n}", SIZE, rows=ROWS) for n in range(TENSORS)]
        text = [body(rng, made, 2) for _ in range(rng.randrange(1, 3))]
        if refused([text], made):
            continue
        used = {one for part in executed(text, random.Random(1)) for one in _named(part)}
        tight += len({one.offset for one in used}) < len(used)
        for _ in range(3):
            assert not misread(text, made, rng), seed
    assert tight > 5 or not parts.everything()  # bytes were shared


def _named(part: Any) -> tuple[Tensor, ...]:
    return part.named if isinstance(part, Writes) else part
