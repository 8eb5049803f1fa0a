"""Which engine executes a call, which queue issues a transfer, and which matmuls add."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nasm.base.problems import Failure
from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel import trace
from nasm.nki.lowering import Lowering
from nasm.nki.names import HBM
from nasm.nki.tracing import CoreTrace, under
from nasm.program.builder import ProgramBuilder
from nasm.sync.lines import lines
from nasm.targets import TARGETS
from tests.nki.minikernel import psum, result, sbuf
from tests.parts import examples
from tests.tables import each


def lowered(
    kernel: Callable[[Any], Any], target: str = "trn2", dma: str = "split"
) -> list[tuple[str, str, dict[str, Any]]]:
    """The engine, row and operands of each instruction of a kernel that gets a tensor in HBM."""
    loaded = TARGETS[target]()
    generation = loaded.generation(target)
    assert generation is not None
    builder = ProgramBuilder(loaded, loaded.configured(generation, {}))
    trace = CoreTrace(builder, 0, 1)
    with under(trace):
        kernel(trace.tensor((128, 64), nl.float32, HBM, "source"))
    found = []
    for line in lines(Lowering(trace, dma).lines()):
        made = builder.program.instructions[line.instruction]
        operands = dict(zip(made.row.position, made.operands, strict=True))
        found.append((builder.program.queues[line.queue].engine, made.row.name, operands))
    return found


def engines(kernel: Callable[[Any], Any], target: str = "trn2") -> list[str]:
    return [engine for engine, _, _ in lowered(kernel, target)]


def words(dst: Any = nl.int32, **made: Any) -> Any:
    return sbuf((128, 8), dst)


@each(
    ("call", "engine"),
    [
        (lambda x, w, p: nisa.tensor_tensor(x, x, x, nl.add), "vector"),
        (lambda x, w, p: nisa.tensor_tensor(x, x, x, nl.power), "gpsimd"),
        (lambda x, w, p: nisa.tensor_tensor(w, w, w, nl.add), "gpsimd"),
        (lambda x, w, p: nisa.tensor_tensor(w, w, w, nl.bitwise_and), "vector"),
        (lambda x, w, p: nisa.tensor_scalar(x, x, nl.add, 1.0), "vector"),
        (lambda x, w, p: nisa.tensor_scalar(x, x, nl.power, 2.0), "gpsimd"),
        (lambda x, w, p: nisa.tensor_reduce(x[:, 0:1], nl.add, x, 1), "vector"),
        (lambda x, w, p: nisa.memset(p, 0.0), "vector"),
        (lambda x, w, p: nisa.activation(x, nl.exp, x), "scalar"),
        (lambda x, w, p: nisa.iota(w, [[1, 8]]), "gpsimd"),
        (lambda x, w, p: nisa.tensor_copy(w, w), "vector"),
        (lambda x, w, p: nisa.tensor_copy(x, x, engine=nisa.engine.gpsimd), "gpsimd"),
        (lambda x, w, p: nisa.rng(w), "vector"),
    ],
)
def test_the_engine_of_a_call(call: Callable[..., Any], engine: str) -> None:
    def kernel(_: Any) -> None:
        call(sbuf((128, 8)), words(), psum((128, 8)))

    assert engines(kernel) == [engine]


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_an_engine_that_a_call_names_is_the_one_or_the_call_is_refused(target: str) -> None:
    def copied(engine: Any) -> Callable[[Any], None]:
        return lambda _: nisa.tensor_copy(sbuf((128, 8)), psum((128, 8)), engine=engine)

    assert engines(copied(nisa.engine.vector), target) == ["vector"]
    with pytest.raises(Failure, match="src is in psum; gpsimd reads sbuf only"):
        trace(lambda x: copied(nisa.engine.gpsimd)(x), np.zeros((1, 1), np.float32), target=target)


def test_copies_go_to_the_engine_with_less_to_do() -> None:
    def kernel(_: Any) -> None:
        x, y = sbuf((128, 512)), sbuf((128, 512))
        for _ in range(4):
            nisa.tensor_copy(y, x)
        nisa.tensor_tensor(x, y, y, nl.add)
        nisa.tensor_tensor(x, y, y, nl.add)
        nisa.tensor_copy(y, x)

    found = engines(kernel)
    assert set(found[:4]) == {"vector", "scalar"}
    assert found[6] == "scalar"


def test_words_are_not_copied_by_scalar() -> None:
    def kernel(_: Any) -> None:
        for _ in range(4):
            nisa.tensor_copy(words(), words())

    assert set(engines(kernel)) == {"vector", "gpsimd"}


def test_v2_copies_on_vector_and_gpsimd() -> None:
    def kernel(_: Any) -> None:
        for _ in range(6):
            nisa.tensor_copy(sbuf((128, 64)), sbuf((128, 64)))

    assert "scalar" not in engines(kernel, "trn1")


def loads_and_stores(source: Any) -> None:
    tile = sbuf((128, 64))
    middle = nl.ndarray((128, 64), nl.float32, nl.private_hbm)
    nisa.dma_copy(tile, source)  # 0: a load
    nisa.dma_copy(middle, tile)  # 1: waits for the tile
    nisa.dma_copy(sbuf((128, 64)), middle)  # 2: waits for what 1 writes
    nisa.dma_copy(tile, source, dge_mode=nisa.dge_mode.hwdge)  # 3
    nisa.dma_copy(middle, tile, dge_mode=nisa.dge_mode.hwdge)  # 4
    nisa.dma_copy(tile, source, dge_mode=nisa.dge_mode.swdge)  # 5


@pytest.mark.parametrize(
    ("dma", "expected"),
    [
        ("split", ["sync", "gpsimd", "gpsimd", "sync", "scalar", "gpsimd"]),
        ("sync", ["sync", "sync", "sync", "sync", "sync", "gpsimd"]),
    ],
)
def test_what_waits_for_results_does_not_hold_loads_back(dma: str, expected: list[str]) -> None:
    found = lowered(loads_and_stores, dma=dma)
    assert [engine for engine, _, _ in found] == expected
    modes = ["none", "none", "none", "hwdge", "hwdge", "swdge"]
    assert [operands["dge_mode"] for _, _, operands in found] == modes
    rings = {engine: operands["queue"] for engine, _, operands in found}
    assert len(set(rings.values())) == len(rings)


@pytest.mark.parametrize(
    ("target", "convert", "expected"),
    [
        ("trn2", False, ("sync", "hwdge")),
        ("trn2", True, ("gpsimd", "swdge")),
        ("trn1", False, ("gpsimd", "swdge")),
    ],
)
def test_an_address_of_the_run_needs_descriptors_made_then(
    target: str, convert: bool, expected: tuple[str, str]
) -> None:
    def kernel(source: Any) -> None:
        register = nisa.register_alloc(3)
        tile = sbuf((32, 64), nl.bfloat16 if convert else nl.float32)
        nisa.dma_copy(tile, source.ap([[64, 32], [1, 64]], scalar_offset=register, indirect_dim=0))

    engine, _, operands = lowered(kernel, target)[-1]
    assert (engine, operands["dge_mode"]) == expected


@pytest.mark.parametrize(("target", "generation"), [("trn1", 2), ("trn2", 3), ("trn3", 4)])
def test_a_kernel_asks_whether_it_is_for_a_generation_or_later(
    target: str, generation: int
) -> None:
    asked = []

    def kernel(_: Any) -> None:
        asked.append(nisa.get_nc_version())

    lowered(kernel, target)
    assert asked == [nisa.nc_version[f"gen{generation}"]]
    assert (asked[0] >= nisa.nc_version.gen3) is (asked[0] >= 3) is (generation >= 3)


LEFT = np.eye(16, dtype=np.float32)


@st.composite
def regions(draw: st.DrawFn) -> list[tuple[int, int, int, int, bool | None]]:
    """Windows of an accumulator of 6 x 8 columns: rows, columns, and what accumulate says."""
    found = []
    for _ in range(draw(st.integers(1, 6))):
        top, left = draw(st.integers(0, 5)), draw(st.integers(0, 7))
        height, width = draw(st.integers(1, 6 - top)), draw(st.integers(1, 8 - left))
        found.append((top, height, left, width, draw(st.sampled_from([None, None, None, False]))))
    return found


@settings(max_examples=examples(40, 8), deadline=None)
@given(regions())
def test_what_adds_is_decided_place_by_place(
    windows: list[tuple[int, int, int, int, bool | None]],
) -> None:
    def kernel(left: Any) -> Any:
        weights, ones, acc = sbuf((16, 16)), sbuf((16, 48)), psum((16, 6, 8))
        nisa.dma_copy(weights, left)
        nisa.memset(ones, 1.0)
        nisa.nc_matmul(acc.reshape((16, 48))[:, 0:1], weights, ones[:, 0:1])
        for top, height, start, width, accumulate in windows:
            dst = acc[:, top : top + height, start : start + width]
            moving = ones[:, 0 : height * width]
            nisa.nc_matmul(dst, weights, moving, accumulate=accumulate)
        out = nl.ndarray((16, 6, 8), nl.float32, nl.shared_hbm)
        copy = sbuf((16, 6, 8))
        nisa.memset(copy, -1.0)
        for row, column in sorted(begun):
            nisa.tensor_copy(copy[:, row, column : column + 1], acc[:, row, column : column + 1])
        nisa.dma_copy(out, copy)
        return out

    expected, begun = np.full((6, 8), -1.0), {(0, 0)}
    expected[0, 0] = 1
    for top, height, start, width, accumulate in windows:
        for row in range(top, top + height):
            for column in range(start, start + width):
                adds = (row, column) in begun and accumulate is not False
                expected[row, column] = expected[row, column] + 1 if adds else 1
                begun.add((row, column))
    assert np.array_equal(result(kernel, LEFT)[3], expected)
