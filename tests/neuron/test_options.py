"""What machine options change in a run, and that they change nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nasm
from nasm.targets.neuron import TARGET, options
from tests.tables import each

COPIES = """\
.target {target}
.hbm  X  f32[128, {n}]  input
.hbm  Y  {dtype}[128, {n}]  output
.hbm  Z  {dtype}[128, {n}]  output
.sbuf x  f32[128, {n}]
.sbuf y  {dtype}[128, {n}]
.sem  a, b, c
@sync    DmaCopy     x, X             $a += 16
@{engine} TensorCopy  y, x   $a >= 16   $b++
@sync    DmaCopy     Y, y   $b >= 1   $a += 16
@gpsimd  DmaCopy     Z, X, dge_mode=swdge             $c += 16
@sync    EventSemaphore    $a >= 32
@sync    EventSemaphore    $c >= 16
"""
BEYOND = [1.0, 1e6, -1e6, np.inf, -np.inf, np.nan]
MAX = {"e3m4": 15.5, "e4m3": 240.0, "e5m2": 57344.0, "e4m3fn": 448.0}


def copied(values: Any, dtype: str, engine: str = "vector", target: str = "trn3", **given: Any):
    """Values as an engine and a DMA store them."""
    array = np.broadcast_to(np.asarray(values, np.float32), (128, np.size(values)))
    text = COPIES.format(target=target, n=array.shape[1], dtype=dtype, engine=engine)
    chosen = {name.replace("__", "."): value for name, value in given.items()}
    done = nasm.run(text, {"X": array}, options=chosen)
    assert done.ok, done.report.problems
    return [done.outputs[n].astype(np.float32) for n in "YZ"]


@each("dtype", MAX)
@each("overflow", ["infinity", "saturate"])
@each("e4m3fn", ["nan", "saturate"])
def test_eight_bit_floats_overflow_as_the_options_say(
    dtype: str, overflow: str, e4m3fn: str
) -> None:
    rule = e4m3fn if dtype == "e4m3fn" else overflow
    over = {"infinity": np.inf, "nan": np.nan, "saturate": MAX[dtype]}[rule]
    wanted = np.array([1, over, -over, over, -over, np.nan], np.float32)
    on = "trn2" if dtype == "e3m4" else "trn3"
    for found in copied(BEYOND, dtype, target=on, cast__overflow=overflow, cast__e4m3fn=e4m3fn):
        np.testing.assert_array_equal(found, np.tile(wanted, (128, 1)))


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i8", "f32"])
def test_saturation_is_of_eight_bit_floats_alone(dtype: str) -> None:
    values = [1.0, 3.4e38, -np.inf]
    for usual, found in zip(
        copied(values, dtype),
        copied(values, dtype, cast__overflow="saturate", cast__e4m3fn="saturate"),
        strict=True,
    ):
        np.testing.assert_array_equal(usual, found)


@pytest.mark.parametrize("engine", ["vector", "scalar", "gpsimd"])
def test_stochastic_rounding_gives_either_neighbour_in_proportion(engine: str) -> None:
    n = 64
    values = np.full(n, 1 + 0.25 * 2**-7)
    for usual, found in zip(
        copied(values, "bf16", engine),
        copied(values, "bf16", engine, rounding="stochastic"),
        strict=True,
    ):
        assert (usual == 1).all()
        assert set(found.ravel().tolist()) == {1.0, 1 + 2**-7}
        # 8192 draws of a chance of 1/4: six standard deviations are 0.029.
        assert abs((found > 1).mean() - 0.25) < 0.03


def test_integers_and_float32_are_not_rounded_by_chance() -> None:
    for dtype in ("i8", "i32", "f32"):
        values = [0.5, 1.5, -2.5, 100.4]
        for usual, found in zip(
            copied(values, dtype), copied(values, dtype, rounding="stochastic"), strict=True
        ):
            np.testing.assert_array_equal(usual, found)


def test_a_seed_decides_every_bit() -> None:
    values = np.random.default_rng(1).normal(size=256)
    given = {"rounding": "stochastic"}
    first, again = copied(values, "bf16", **given), copied(values, "bf16", **given)
    other = copied(values, "bf16", rounding__seed=1, **given)
    for one, same, different in zip(first, again, other, strict=True):
        np.testing.assert_array_equal(one, same)
        assert (one != different).any()
    assert (first[0] != first[1]).any()  # the engine and the DMA draw from streams of their own


def test_steps_draw_as_a_run_does_and_a_restart_begins_anew() -> None:
    text = COPIES.format(target="trn2", n=64, dtype="bf16", engine="vector")
    array = np.random.default_rng(2).normal(size=(128, 64)).astype(np.float32)
    program = nasm.assemble(text, options={"rounding": "stochastic", "rounding.seed": 3})
    session = nasm.Session(program, {"X": array})
    whole = session.run().memory_hash
    session.restart()
    while not session.over:
        session.step()
    assert session.report().memory_hash == whole


def test_what_one_queue_draws_does_not_depend_on_the_others() -> None:
    text = COPIES.format(target="trn2", n=64, dtype="bf16", engine="vector")
    more = (
        ".sbuf  u  f32[128, 64]\n.sbuf  v  bf16[128, 64]\n"
        "@scalar  Activation  u, x, op=copy, scale=1.0  $a >= 16\n@scalar  TensorCopy  v, u\n"
    )
    array = np.random.default_rng(2).normal(size=(128, 64)).astype(np.float32)
    chosen = {"rounding": "stochastic"}
    alone = nasm.run(text, {"X": array}, options=chosen).outputs["Y"]
    beside = nasm.run(text + more, {"X": array}, options=chosen).outputs["Y"]
    assert alone.tobytes() == beside.tobytes()


ACCUMULATED = """\
.target trn3
.hbm   C  bf16[128, 128]  output
.sbuf  a  bf16[128, 128]
.sbuf  b  bf16[128, 128]
.sbuf  c  bf16[128, 128]
.sbuf  d  bf16[128, 128]
.psum  acc  bf16[128, 128]
.sem   s, t
@vector  Memset  a, 1.0        $s++
@vector  Memset  b, 1.0        $s++
@vector  Memset  d, 0.00390625 $s++
@tensor  LoadStationary  a   $s >= 3
@tensor  MultiplyMoving  acc, b
@tensor  MultiplyMoving  acc, d, accumulate=true   $t++
@vector  TensorCopy  c, acc  $t >= 1  $s++
@sync    DmaCopy  C, c  $s >= 4  $t += 16
@sync    EventSemaphore  $t >= 17
"""


def test_what_is_added_in_memory_is_rounded_by_chance_too() -> None:
    usual = nasm.run(ACCUMULATED).outputs["C"].astype(np.float32)
    done = nasm.run(ACCUMULATED, options={"rounding": "stochastic"})
    assert done.ok
    found = done.outputs["C"].astype(np.float32)
    # 128 is exact; 128.5 lies between two values of bfloat16, and 128 is even.
    assert set(usual.ravel().tolist()) == {128.0}
    assert set(found.ravel().tolist()) == {128.0, 129.0}


@pytest.mark.parametrize(("step", "half", "full"), [(3, 1, 1), (4, 2, 1), (5, 2, 2)])
def test_a_stride_of_sixteen_bytes_is_slow_unless_said(step: int, half: int, full: int) -> None:
    text = f".target trn1\n.sbuf t f32[128, {256 * step}]\n.sbuf d f32[128, 256]\n"
    text += f"@vector TensorCopy d, t[:, ::{step}]\n"
    for chosen, times in (("half", half), ("full", full)):
        program = nasm.assemble(text, options={"stride.sixteen": chosen})
        instruction = program.instructions[0]
        assert instruction.shape("vector", program.generation).cost.interval == 256 * times


@pytest.mark.parametrize("line", ["CopyPredicated d, t, m", "SelectReduce d, m, t, 1.0"])
@pytest.mark.parametrize(("target", "two", "one"), [("trn2", 1, 2), ("trn3", 1, 2)])
def test_how_a_choice_reads_its_inputs_is_an_option(
    line: str, target: str, two: int, one: int
) -> None:
    text = f".target {target}\n.sbuf t f32[128, 256]\n.sbuf d f32[128, 256]\n"
    text += f".sbuf m u8[128, 256]\n@vector {line}\n"
    for chosen, times in (("two_ports", two), ("one_port", one)):
        program = nasm.assemble(text, options={"copy_predicated.cost": chosen})
        instruction = program.instructions[0]
        assert instruction.shape("vector", program.generation).cost.interval == 256 * times


def test_every_option_is_read_somewhere() -> None:
    from pathlib import Path

    folder = Path(options.__file__).parent
    text = (
        "".join(
            p.read_text(encoding="utf-8") for p in folder.rglob("*.py") if p.name != "options.py"
        )
        + Path(options.__file__).read_text(encoding="utf-8").partition("DEFAULTS = ")[2]
    )
    for option in TARGET.options:
        assert f'"{option.name}"' in text, option.name
