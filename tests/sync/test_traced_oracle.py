"""Kernels and random programs, judged apart from what made their waits; and the judge itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

import nasm.nki
from nasm.nki.kernel import Traced
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Program
from nasm.sync.synchronize import synchronise
from nasm.targets import TARGETS
from nasm.views.tensor import Tensor
from nasm.views.view import View
from tests.parts import examples
from tests.sync.cases import Case, cases
from tests.sync.conflicts import Place
from tests.sync.oracle import Oracle
from tests.sync.touched import patch
from tests.sync.traced_oracle import Verdict, judge, judged

with nasm.nki.installed():
    import nki
    import nki.isa as nisa
    import nki.language as nl

RMSNORM = Path(__file__).parents[2] / "programs" / "nki" / "rmsnorm.py"


def rmsnorm() -> Traced:
    """Our own kernel, on two blocks of rows."""
    names: dict[str, Any] = {"__name__": "rmsnorm"}
    with nasm.nki.installed():
        exec(compile(RMSNORM.read_text(encoding="utf-8"), str(RMSNORM), "exec"), names)
        x, w = np.ones((256, 512), np.float32), np.ones((1, 512), np.float32)
        return nasm.nki.trace(names["rmsnorm"], x, w)


def waits(program: Program) -> Iterator[Place]:
    """The places of all waits."""
    for queue, lines in enumerate(program.queues):
        yield from (Place(queue, pc) for pc in range(len(lines)) if lines.waits[pc])


def said(traced: Traced) -> Verdict:
    verdict = judge(traced)
    assert verdict is not None
    return verdict


def test_our_own_kernel_is_in_order_and_waits_for_nothing_in_vain() -> None:
    verdict = said(rmsnorm())
    assert (verdict.unordered, verdict.needless, verdict.between) == ([], [], [])
    assert verdict.pairs >= verdict.waits > 10


def test_without_any_one_of_its_waits_our_own_kernel_is_not_in_order() -> None:
    traced = rmsnorm()
    places = list(waits(traced.program))
    for queue, pc in places:
        column = traced.program.queues[queue].waits
        column[pc], before = 0, column[pc]
        assert said(traced).unordered, (queue, pc)
        column[pc] = before
    assert said(traced).waits == len(places)


def test_a_wait_that_asks_for_one_less_is_not_enough() -> None:
    traced = rmsnorm()
    program = traced.program
    for queue, pc in waits(program):
        column = program.queues[queue].waits
        before = column[pc]
        wait = program.waits[before]
        assert wait is not None
        program.waits.append(wait._replace(value=wait.value - 1))
        column[pc] = len(program.waits) - 1
        assert said(traced).unordered, (queue, pc)
        column[pc] = before


@nki.jit
def twice(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    half = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=half, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.tensor_scalar(dst=tile, data=half, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=y, src=tile)
    return y


def test_a_wait_too_many_is_named() -> None:
    traced = nasm.nki.trace(twice, np.ones((2, 4), np.float32))
    program = traced.program
    (vector,) = (n for n, q in enumerate(program.queues) if q.engine == "vector" and len(q))
    column = program.queues[vector].waits
    assert said(traced).needless == []
    assert column[0]
    assert not column[1]
    column[1] = column[0]
    verdict = said(traced)
    assert verdict.unordered == []
    assert verdict.needless == [Place(vector, 1)]


def test_a_program_that_hangs_is_said_to() -> None:
    traced = rmsnorm()
    program = traced.program
    queue, pc = next(waits(program))
    column = program.queues[queue].waits
    wait = program.waits[column[pc]]
    assert wait is not None
    program.waits.append(wait._replace(value=10_000))
    column[pc] = len(program.waits) - 1
    assert "it hangs" in [each.said for each in said(traced).unordered]


@nki.jit
def both_write(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=y, src=tile)
    return y


def test_what_two_cores_write_at_once_is_between_them() -> None:
    traced = nasm.nki.trace(both_write, np.ones((2, 4), np.float32), lnc=2)
    verdict = said(traced)
    assert (verdict.unordered, verdict.needless) == ([], [])
    assert len(verdict.between) == 1
    cores = [traced.program.queues[p.queue].core for p in verdict.between[0][:2] if p is not None]
    assert cores == [0, 1]


@nki.jit
def counted(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)

    def body(i: Any) -> None:
        nisa.dma_copy(dst=tile, src=x)

    nl.fori_loop(0, 3, body)
    nisa.dma_copy(dst=y, src=tile)
    return y


def test_loops_at_run_time_are_not_judged() -> None:
    assert judge(nasm.nki.trace(counted, np.ones((2, 4), np.float32))) is None


@settings(max_examples=examples(100, 12), deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_both_judges_agree_on_random_programs(case: Case) -> None:
    """Each with one wait taken away: what one finds in no order the other does."""
    assume(case.cores == 1)  # with a wait taken away the other one judges each core alone
    builder, sequence = case.builder()
    synchronise(builder, sequence)
    program = builder.finish()
    verdict = judged(program, sequence)
    assert verdict is not None
    assert (verdict.unordered, verdict.needless) == ([], [])
    for queue, pc in list(waits(program)):
        column = program.queues[queue].waits
        column[pc], before = 0, column[pc]
        bare = judged(program, sequence)
        assert bare is not None
        assert bool(bare.unordered) == bool(Oracle(case, program).unordered())
        column[pc] = before


@settings(max_examples=examples(100, 12), deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_random_programs_of_two_cores_are_in_order(case: Case) -> None:
    """Also between the cores, which are planned one by one."""
    assume(case.cores == 2)
    builder, sequence = case.builder()
    synchronise(builder, sequence)
    verdict = judged(builder.finish(), sequence)
    assert verdict is not None
    assert (verdict.unordered, verdict.between) == ([], [])


# -- the bytes of a view


def tensor(memory: str, shape: tuple[int, ...], partition: int = 0, offset: int = 0) -> View:
    made = TARGETS["trn2"]()
    generation = made.generation("trn2")
    assert generation is not None
    builder = ProgramBuilder(made, generation)
    place = {"partition": partition, "offset": offset} if memory == "sbuf" else {}
    found: Tensor = builder.tensor(memory, "t", "f32", shape, **place)  # type: ignore[arg-type]
    builder.place()
    return View.whole(found)


@pytest.mark.parametrize(
    ("view", "rows", "runs"),
    [
        (lambda t: t, [[3, 7]], [[8, 56]]),
        (lambda t: t[1:3], [[4, 6]], [[8, 56]]),
        (lambda t: t[:, 2:4], [[3, 7]], [[16, 24]]),
        (lambda t: t[:, ::4], [[3, 7]], [[8, 12], [24, 28], [40, 44]]),
        (lambda t: t[::2, 0:1], [[3, 4], [5, 6]], [[8, 12]]),
        (lambda t: t.reshape(4, 3, 4)[:, :, 1:3], [[3, 7]], [[12, 20], [28, 36], [44, 52]]),
        (lambda t: t.reshape(4, 3, 4).permute(0, 2, 1), [[3, 7]], [[8, 56]]),
        (lambda t: t[:, 0:1].broadcast(4, 5), [[3, 7]], [[8, 12]]),
    ],
)
def test_the_bytes_of_a_view(view: Any, rows: list[list[int]], runs: list[list[int]]) -> None:
    found = patch(view(tensor("sbuf", (4, 12), partition=3, offset=8)))
    assert (found.rows.tolist(), found.bytes.tolist()) == (rows, runs)


def test_the_bytes_of_a_rectangle_in_a_memory_without_partitions() -> None:
    found = patch(tensor("hbm", (4, 8))[1:3, 2:5])
    base = patch(tensor("hbm", (4, 8))).bytes[0, 0]
    assert found.rows.tolist() == [[0, 1]]
    assert (found.bytes - base).tolist() == [[40, 52], [72, 84]]
