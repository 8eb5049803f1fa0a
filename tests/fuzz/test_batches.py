"""A small batch of each fuzzer."""

from __future__ import annotations

import pytest

from tests.fuzz import driver
from tests.fuzz.__main__ import FUZZERS
from tests.fuzz.finding import watched
from tests.parts import part

BATCH = {
    "programs": 400,
    "arrays": 2000,
    "commands": 1000,
    "calls": 60,
    "order": 30,
    "kernels": 60,
    "dialect": 160,
    "objects": 400,
    "recordings": 160,
    "tensix": 150,
    "wire": 12,
    "adapter": 64,
    "oracles": 25,
    "hostile": 25,
}
"""Units of each in this suite: seconds; `make test` tries a sixteenth."""


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", FUZZERS)
def test_a_small_batch_finds_nothing(name: str) -> None:
    fuzzer = FUZZERS[name]()
    count = BATCH[name] // fuzzer.each
    for number in part(range(count), -(-count // 16)):
        data = driver.numbered(fuzzer, 4, number)
        found = watched(fuzzer.check, data, seconds=60)  # what runs beside it counts as well
        assert found is None, f"{found}\n{data!r}\n{found and found.details}"
