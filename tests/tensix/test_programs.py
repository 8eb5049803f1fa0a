"""The programs of programs/tensix/: what they promise holds, and every time."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from ml_dtypes import bfloat16

from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.machine.records import RunReport, Status

FOLDER = Path(__file__).parents[2] / "programs" / "tensix"
PROGRAMS = sorted(p.name for p in FOLDER.glob("*.nasm"))


def test_the_readme_lists_them() -> None:
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert PROGRAMS
    assert [name for name in PROGRAMS if f"](tensix/{name})" not in readme] == []


def run(name: str, **defines: int) -> RunReport:
    return Session.load(source_of(FOLDER / name), defines=defines).run()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_promises_without_hazards(name: str) -> None:
    report = Session.load(source_of(FOLDER / name)).run()
    assert report.status is Status.FINISHED
    assert (report.problems, report.hazards) == ((), ())
    assert len(report.expectations) >= 1
    assert [e.text for e in report.expectations if not e.held] == []
    again = Session.load(source_of(FOLDER / name)).run()
    assert (report.trace_hash, report.memory_hash) == (again.trace_hash, again.memory_hash)


@pytest.mark.parametrize(("phases", "held"), [(1, False), (2, True), (3, True), (4, True)])
def test_a_product_takes_sixteen_cycles_a_phase(phases: int, held: bool) -> None:
    report = run("matmul.nasm", PHASES=phases)
    values, time = report.expectations
    assert (values.held, time.held) == (held, True)
    assert report.ticks == 106 + 16 * phases


def error(**defines: int) -> float:
    """The Frobenius norm of what is wrong in a product, over that of the product in float64."""
    form = np.float32 if defines.get("FP32") else bfloat16
    a, b = np.random.default_rng(7).standard_normal((2, 32, 32)).astype(form)
    source, inputs = source_of(FOLDER / "matmul.nasm"), {"A": a, "B": b}
    session = Session.load(source, defines=defines, inputs=inputs)
    assert session.run().problems == ()
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    wrong = session.outputs()["C"].astype(np.float64) - wanted
    return float(np.linalg.norm(wrong) / np.linalg.norm(wanted))


@pytest.mark.parametrize(
    ("phases", "published"), [(1, 2.6e-2), (2, 4.4e-3), (3, 3.9e-3), (4, 3.9e-3)]
)
def test_the_error_of_a_product_is_the_published_one(phases: int, published: float) -> None:
    assert error(PHASES=phases) == pytest.approx(published, rel=0.1)


def test_32_bits_of_dst_keep_what_16_round() -> None:
    assert error(PHASES=4, DST32=1) == pytest.approx(3.2e-4, rel=0.1)
    assert error(PHASES=4, DST32=1, FP32=1) < error(PHASES=4, FP32=1) / 3


@pytest.mark.parametrize(("fp32", "dst32"), [(0, 1), (1, 0), (1, 1)])
def test_twice_the_bytes_take_twice_the_time(fp32: int, dst32: int) -> None:
    # 64 cycles more to unpack two tiles at once, 32 more to pack one.
    report = run("matmul.nasm", PHASES=4, FP32=fp32, DST32=dst32)
    assert report.ticks == 170 + 64 * fp32 + 32 * dst32


def test_the_matrix_unit_does_4096_operations_a_cycle() -> None:
    one, two = (run("matmul.nasm", PHASES=phases).ticks for phases in (1, 2))
    assert 2 * 32**3 / (two - one) == 4096


def test_a_tile_alone_takes_32_cycles_to_unpack_and_to_pack() -> None:
    busy = {e.engine: e.busy for e in run("gelu.nasm").engines}
    assert busy["t0"] == 1 + 2 + 32  # SETADCXX, the address, 2,048 bytes at 64 a cycle
    assert busy["t2"] == 2 + 32  # SETADCXX, SEMWAIT; four packers at 16 bytes a cycle


def test_a_loop_of_products_unpacks_while_it_multiplies() -> None:
    times = []
    for rounds in (8, 10):
        report = run("matmul_k.nasm", ROUNDS=rounds)
        assert report.ok
        times.append(report.ticks)
    # Two rounds: 64 products and SETRWC in each, and one cycle of waiting for banks.
    assert times[1] - times[0] == 131


@pytest.mark.parametrize("tiles", [1, 2, 15])
def test_rows_of_any_length_become_tiles(tiles: int) -> None:
    assert run("tilize.nasm", TILES=tiles).ok


def test_the_profile_of_a_program_adds_up() -> None:
    session = Session.load(source_of(FOLDER / "matmul.nasm"), profile=True)
    report = session.run()
    found = session.profile()
    assert sum(ticks for _, ticks in found.evidence) == report.ticks


def inputs_of(name: str, **arrays: object) -> Session:
    session = Session.load(source_of(FOLDER / name), inputs=arrays)
    report = session.run()
    assert report.status is Status.FINISHED
    assert (report.problems, report.hazards) == ((), ())
    return session


def test_columns_are_sorted_as_numpy_sorts_them() -> None:
    rng = np.random.default_rng(5)
    for x in (rng.standard_normal((32, 32)), rng.integers(-3, 4, (32, 32)), -np.ones((32, 32))):
        given = x.astype(bfloat16)
        found = inputs_of("sort.nasm", x=given).outputs()["y"]
        assert np.array_equal(found, np.sort(given.astype(np.float32), axis=0))


def test_a_polynomial_is_gelu_by_the_error_function() -> None:
    x = np.linspace(-6, 6, 1024).reshape(32, 32).astype(bfloat16)
    found = inputs_of("gelu_polynomial.nasm", x=x).outputs()["y"]
    for value, got in zip(x.ravel().tolist(), found.ravel().tolist(), strict=True):
        wanted = value * (1 + math.erf(value / math.sqrt(2))) / 2
        assert abs(got - wanted) <= 3e-4 + 1e-3 * abs(wanted)


def bfp8(numbers: list[float]) -> list[float]:
    """Sixteen numbers that share an exponent: a sign and seven bits of each, to the nearest."""
    exponents = [math.frexp(n)[1] for n in numbers if n]
    if not exponents:
        return numbers
    step = 2.0 ** (max(exponents) - 7)
    most = 127
    return [math.copysign(min(most, math.floor(abs(n) / step + 0.5)) * step, n) for n in numbers]


def test_blocks_of_bfp8_are_multiplied_as_float64_multiplies_them() -> None:
    a, b = np.random.default_rng(6).standard_normal((2, 128, 128)).astype(np.float32)
    blocks = [
        np.array([[bfp8(row[at : at + 16]) for at in range(0, 128, 16)] for row in matrix.tolist()])
        for matrix in (a, b)
    ]
    wanted = np.matmul(*(block.reshape(128, 128) for block in blocks))
    session = inputs_of("matmul_bfp8.nasm", A=a, B=b)
    found = session.outputs()["C"].astype(np.float64)
    # Once BF16 rounds what is packed; products are aligned in 12 bits before they are added.
    assert np.linalg.norm(found - wanted) / np.linalg.norm(wanted) < 2.0**-8
    # What A and B hold is what was quantised here, number by number.
    for name, block in zip("AB", blocks, strict=True):
        held = np.asarray(session.evaluate(name).array, dtype=np.float64)
        assert np.array_equal(held, block.reshape(128, 128))
