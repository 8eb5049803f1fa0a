"""The programs of programs/tensix/: what they promise holds, and every time."""

from __future__ import annotations

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
