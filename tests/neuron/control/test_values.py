"""Registers, branches and addresses held in registers, and how a queue keeps its order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nasm.targets.neuron import alu
from tests.neuron import scalar as reference
from tests.neuron.programs import fault, hazards, hbm, ran, refused, result, sbuf, session, times
from tests.tables import each

ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync")


def registers(lines: str, engine: str = "sync") -> dict[int, int]:
    return ran(f"@{engine}\n{lines}").registers(engine)


# -- registers


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_has_registers_of_its_own(engine: str) -> None:
    done = ran(f"@{engine}\nRegisterMove %r63, -7\nRegisterMove %r0, %r63")
    for other in ENGINES:
        assert done.registers(other) == ({0: -7, 63: -7} if other == engine else {})


@pytest.mark.parametrize(
    ("value", "held"),
    [(2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (2**32 - 1, -1), (-(2**31), -(2**31))],
)
def test_a_number_is_held_as_a_signed_word(value: int, held: int) -> None:
    assert registers(f"RegisterMove %r1, {value}") == {1: held}


# Each operator on (a, b) as a signed 32-bit sequencer has it.
WORD = 2**32
OPERATORS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "maximum": max,
    "minimum": min,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "greater_equal": lambda a, b: a >= b,
    "greater": lambda a, b: a > b,
    "less_equal": lambda a, b: a <= b,
    "less": lambda a, b: a < b,
    "logical_and": lambda a, b: bool(a) and bool(b),
    "logical_or": lambda a, b: bool(a) or bool(b),
    "logical_xor": lambda a, b: bool(a) != bool(b),
    **{
        op: lambda a, b, op=op: reference.bitwise(op, a, b, "int32")  # type: ignore[misc]
        for op in (
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "left_shift",
            "right_shift",
            "arith_shift_left",
            "arith_shift_right",
        )
    },
}
PAIRS = [(5, 3), (-5, 3), (0, 0), (0, 7), (2**31 - 1, 1), (-(2**31), 31), (-(2**31), -1)]


def signed(value: int) -> int:
    return (int(value) + 2**31) % WORD - 2**31


def test_the_table_knows_every_operator_of_registers() -> None:
    assert set(OPERATORS) == set(alu.REGISTER_OPERATORS)


@each("op", OPERATORS)
def test_register_operators_wrap_at_32_bits(op: str) -> None:
    pairs = [p for p in PAIRS if "shift" not in op or 0 <= p[1] < 32]
    for a, b in pairs:
        found = registers(
            f"RegisterMove %r1, {a}\nRegisterMove %r2, {b}\n"
            f"RegisterAlu %r3, %r1, %r2, op={op}\nRegisterAlu %r4, %r1, {b}, op={op}"
        )
        assert found[3] == found[4] == signed(OPERATORS[op](a, b)), (a, b)


def test_a_register_nothing_set_is_a_hazard_and_reads_as_zero() -> None:
    lines = "@sync RegisterAlu %r1, %r9, 5, op=add"
    assert hazards(lines) == ["E0505"]
    made = session(lines)
    made.run()
    assert made.registers("sync") == {1: 5}


# -- memory to registers and back


@each(
    ("dtype", "value", "held"),
    [
        ("i32", -5, -5),
        ("u32", 2**32 - 1, -1),
        ("i16", -2, -2),
        ("u16", 65535, 65535),
        ("i8", -128, -128),
        ("u8", 200, 200),
        # Others come as their bits: 1.0 is 0x3f800000, and in bfloat16 the upper half of that.
        ("f32", 1.0, 0x3F80_0000),
        ("f32", -1.0, 0xBF80_0000 - WORD),
        ("bf16", 1.0, 0x3F80),
        ("bf16", -1.0, 0xBF80),
        ("f16", 1.0, 0x3C00),
        ("e4m3", 1.0, 0x38),
        ("e5m2", -1.0, 0xBC),
    ],
)
def test_an_element_comes_and_goes_by_its_bits(dtype: str, value: float, held: int) -> None:
    for make in (hbm, sbuf):
        shape = (1, 3) if make is sbuf else (3,)
        at = "[0, 1]" if make is sbuf else "[1]"
        done = ran(
            f"@sync\nTensorLoad %r5, a{at}\nTensorStore c{at}, %r5",
            a=make(dtype, np.full(shape, value)),
            c=make(dtype, np.zeros(shape)),
        )
        assert done.registers("sync") == {5: held}
        assert done.read("c").ravel().astype(float).tolist() == [0, value, 0]


@pytest.mark.parametrize(("dtype", "stored"), [("i8", 0x34), ("u16", 0x1234), ("i16", 0x1234)])
def test_a_store_keeps_the_low_bits(dtype: str, stored: int) -> None:
    got = result("@sync\nRegisterMove %r1, 0xABCD1234\nTensorStore c, %r1", c=hbm(dtype, (1,)))
    assert got.tolist() == [stored]


def test_a_negative_register_stores_its_low_bits() -> None:
    got = result("@sync\nRegisterMove %r1, -2\nTensorStore c, %r1", c=hbm("u8", (1,)))
    assert got.tolist() == [254]


# -- branches

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


@pytest.mark.parametrize("op", COMPARISONS)
def test_a_branch_is_taken_where_the_signed_comparison_holds(op: str) -> None:
    for a, b in ((1, 2), (2, 1), (2, 2), (-1, 1), (1, -1), (-(2**31), 2**31 - 1)):
        lines = (
            f"RegisterMove %r1, {a}\nRegisterMove %r2, {b}\nRegisterMove %r3, 1\n"
            "CompareBranch {}, op=" + op + ", target=past\nRegisterMove %r3, 0\npast: Nop"
        )
        want = int(OPERATORS[op](a, b))
        assert registers(lines.format("%r1, %r2"))[3] == want, (a, b)
        assert registers(lines.format(f"%r1, {b}"))[3] == want, (a, b)
        assert registers(lines.format(f"{a}, %r2"))[3] == want, (a, b)


def test_an_unsigned_number_is_compared_as_the_word_it_is() -> None:
    found = registers(
        "RegisterMove %r1, -1\nRegisterMove %r2, 0\n"
        "CompareBranch %r1, 0xFFFFFFFF, op=equal, target=past\nRegisterMove %r2, 1\npast: Nop"
    )
    assert found[2] == 0


def test_always_compares_nothing() -> None:
    found = registers(
        "RegisterMove %r1, 1\nCompareBranch target=past\nRegisterMove %r1, 2\npast: Nop"
    )
    assert found == {1: 1}


def test_nested_loops_count_what_they_should() -> None:
    found = registers(
        """
            RegisterMove %r0, 0
            RegisterMove %r1, 0
        outer: RegisterMove %r2, 0
        inner: RegisterAlu %r0, %r0, 1, op=add
            RegisterAlu %r2, %r2, 1, op=add
            CompareBranch %r2, 5, op=less, target=inner
            RegisterAlu %r1, %r1, 1, op=add
            CompareBranch %r1, 4, op=not_equal, target=outer
        """
    )
    assert found == {0: 20, 1: 4, 2: 5}


def test_a_label_of_another_queue_is_none_of_this_one() -> None:
    problems = refused("@sync\nhere: Nop\n@vector CompareBranch target=here")
    assert [p.code for p in problems] == ["E0207"]


# -- addresses in registers


def test_a_loop_walks_a_tile_by_a_register() -> None:
    got = result(
        """@vector
            RegisterMove %r1, 0
        again: TensorScalar c[:, %r1 : +4], a[:, %r1 : +4], op0=multiply, operand0=10
            RegisterAlu %r1, %r1, 4, op=add
            CompareBranch %r1, 16, op=less, target=again
        """,
        a=sbuf("f32", np.arange(32).reshape(2, 16)),
        c=sbuf("f32", (2, 16)),
    )
    np.testing.assert_array_equal(got, 10 * np.arange(32).reshape(2, 16))


def test_a_register_counts_elements_of_its_axis_and_partitions() -> None:
    got = result(
        "@vector\nRegisterMove %r1, 2\nRegisterMove %r2, 32\n"
        "TensorCopy c, a[%r2 : +2, %r1 : +1, 1:3]",
        a=sbuf("f32", np.arange(64 * 12).reshape(64, 3, 4)),
        c=sbuf("f32", (2, 2)),
    )
    at = np.arange(64 * 12).reshape(64, 3, 4)[32:34, 2, 1:3]
    np.testing.assert_array_equal(got, at)


@pytest.mark.parametrize(("start", "good"), [(0, True), (12, True), (13, False), (-1, False)])
def test_a_register_that_leaves_the_tensor_is_a_fault(start: int, good: bool) -> None:
    lines = f"@vector\nRegisterMove %r1, {start}\nTensorCopy c, a[:, %r1 : +4]"
    tiles = {"a": sbuf("f32", np.arange(16).reshape(1, 16)), "c": sbuf("f32", (1, 4))}
    if good:
        assert result(lines, **tiles)[0, 0] == start
        return
    problem = fault(lines, **tiles)
    assert problem.code == "E0506"
    assert f"%r1 holds {start}" in problem.message
    assert "0 to 12" in problem.message


def test_an_address_waits_for_the_register_it_needs() -> None:
    done = ran(
        "@vector\nTensorLoad %r1, n\nTensorCopy c, a[:, %r1 : +1]",
        n=hbm("i32", [3]),
        a=sbuf("f32", [[0, 1, 2, 3]]),
        c=sbuf("f32", (1, 1)),
    )
    assert done.read("c").tolist() == [[3]]
    (_, loaded), (started, _) = times(done, "vector")
    assert started >= loaded == 336 * 5  # 300 ns of 1.12 GHz


# -- the order of a queue, in ticks


# Cycles of Vector in ticks, the interval of a 200-element float32 TensorTensor, and its drain:
# v2 runs 2N and drains in 100 cycles; v3 runs N, and 155 ns of 0.96 GHz are 149 cycles; v4 keeps
# v3's cycles.
CHAINS = {"trn1": (5, 400, 100), "trn2": (5, 200, 149), "trn3": (2, 200, 149)}


@pytest.mark.parametrize("on", CHAINS)
def test_a_chain_waits_for_results_and_independent_work_does_not(on: str) -> None:
    tick, interval, drain = CHAINS[on]
    tiles = {n: sbuf("f32", np.ones((4, 200))) for n in "abcd"}
    done = ran(
        "@vector\nTensorTensor b, a, a, op=add\nTensorTensor c, b, b, op=add\n"
        "TensorTensor d, a, a, op=add\nTensorTensor d, c, b, op=add",
        on,
        **tiles,
    )
    one, latency = tick * interval, tick * (interval + drain)
    # The third reads nothing that is on its way and follows the second at once; the fourth waits
    # for the second.
    starts = [0, latency, latency + one, max(2 * latency, latency + 2 * one)]
    assert times(done, "vector") == [(s, s + latency) for s in starts]
    assert (done.read("d") == 6).all()


def test_instructions_complete_in_order_although_a_later_one_is_shorter() -> None:
    done = ran(
        ".sem s\n@gpsimd\nTensorTensor c, a, a, op=add\nNop   $s++",
        a=sbuf("f32", np.ones((1, 500))),
        c=sbuf("f32", (1, 500)),
    )
    (_, first), (start, second) = times(done, "gpsimd")
    assert start < first == second


def test_what_is_read_is_what_stood_there_when_the_instruction_started() -> None:
    # The write of a starts a tick after the read of it, and the copy has the old values.
    done = ran(
        "@vector\nTensorCopy c, a\nMemset a, 9.0",
        a=sbuf("f32", np.ones((1, 300))),
        c=sbuf("f32", (1, 300)),
    )
    assert (done.read("c") == 1).all()
    assert (done.read("a") == 9).all()
