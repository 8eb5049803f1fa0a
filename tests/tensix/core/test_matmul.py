"""A tile multiplied by a program of three threads: values, times, and the run taken up again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.targets.tensix.matrix.formats import Format
from tests.tensix.core.machines import hazards, starts
from tests.tensix.core.matmul import multiplying, product
from tests.tensix.matrix.matmul import multiplied


def operands() -> Any:
    drawn = np.random.default_rng(1).standard_normal((2, 32, 32)).astype(np.float32)
    return (drawn.view(np.uint32) & 0xFFFF0000).view(np.float32)


@pytest.mark.parametrize("phases", [1, 2, 4])
def test_the_program_computes_what_its_instructions_do_one_by_one(phases: int) -> None:
    x, y = operands()
    machine = multiplying(x, y, phases)
    machine.run(100_000)
    expected = multiplied(x, y, Format.BF16, Format.BF16, wide=False, phases=phases)
    assert np.array_equal(product(machine), expected)
    assert not hazards(machine)


def test_small_integers_are_what_numpy_says() -> None:
    x, y = np.random.default_rng(3).integers(-1, 2, (2, 32, 32)).astype(np.float32)
    machine = multiplying(x, y, 1)
    machine.run(100_000)
    assert np.array_equal(product(machine), x @ y)


def test_the_time_of_a_product() -> None:
    machine = multiplying(*operands(), 1)
    machine.run(100_000)
    # A tile is 128 lines of 16 bytes. Addresses take 2 cycles each. Unpacker 0 reads four a cycle
    # from 2, two from 4 on: done at 4 + 120 / 2 = 64. Unpacker 1 has 8 left then: done at 66.
    assert starts(machine, 0) == [0, 2]
    # 16 products, a cycle each; SETRWC, STALLWAIT, which waits for the last product: 81 + 5 = 86.
    assert starts(machine, 1) == [0, *range(66, 82), 82, 83, 87]
    # The post is seen at 88. Each of four packers writes 32 lines.
    assert starts(machine, 2) == [0, 89, 90]
    assert machine.scheduler.now == 89 + 32


def test_sixteen_products_a_phase_take_sixteen_cycles() -> None:
    times = []
    for phases in (1, 2, 4):
        machine = multiplying(*operands(), phases)
        machine.run(100_000)
        times.append(machine.scheduler.now)
    assert [t - times[0] for t in times] == [0, 16, 48]


def test_a_run_taken_up_at_any_event_goes_on_alike() -> None:
    x, y = operands()
    whole = multiplying(x, y, 2)
    whole.run(100_000)
    assert whole.trace is not None
    expected = whole.trace.instructions
    machine = multiplying(x, y, 2)
    assert machine.trace is not None
    while machine.run(1):
        saved = machine.save()
        machine.run(7)
        machine.restore(saved)
    assert machine.trace.instructions == expected
    assert np.array_equal(product(machine), product(whole))
