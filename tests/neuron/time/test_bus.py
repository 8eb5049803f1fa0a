"""Vector's fast modes: at the plain rate when GpSimd is at work in SBUF."""

from __future__ import annotations

import pytest

from tests.neuron.programs import cost, psum, ran, sbuf, times

BF = {name: sbuf("bf16", [[1.0] * 4096] * 128) for name in "abxy"}
# v3: Vector's cycle is 5 ticks, GpSimd's 4. 4,096 elements of bfloat16 are copied in 1,024 cycles,
# at the plain rate in 4,096.
QUICK, PLAIN, DRAIN = 1024 * 5, 4096 * 5, 149 * 5


def latencies(lines: str, bus: str = "shared") -> list[int]:
    done = ran(lines, "trn2", {"vector.bus": bus}, **BF)
    return [finish - start for start, finish in times(done, "vector")]


def test_a_copy_that_starts_beside_gpsimd_runs_at_the_plain_rate() -> None:
    beside = ".sem s\n@gpsimd TensorCopy y, x $s++ @read\n@vector TensorCopy b, a $s >= 1\n"
    assert latencies("@vector TensorCopy b, a") == [QUICK + DRAIN]
    assert latencies(beside) == [PLAIN + DRAIN]
    assert latencies(beside, "free") == [QUICK + DRAIN]


def test_what_starts_before_or_after_gpsimds_work_keeps_its_mode() -> None:
    # At one tick Vector comes first: GpSimd starts beside it, and takes the bus for what follows.
    # GpSimd copies for 4,096 cycles, 16,384 ticks.
    lines = "@gpsimd TensorCopy y, x\n@vector\n" + "TensorCopy b, a\n" * 4
    done = ran(lines, "trn2", **BF)
    starts = [start for start, _ in times(done, "vector")]
    assert starts == [0, QUICK, QUICK + PLAIN, 2 * QUICK + PLAIN]


def test_a_transfer_that_gpsimd_issues_takes_no_bus() -> None:
    lines = ".hbm H bf16[128, 4096] input = zeros\n.sem s, t\n"
    lines += "@gpsimd DmaCopy y, H $t += 16\n@gpsimd Nop $s++ @read\n"
    lines += "@vector TensorCopy b, a $s >= 1\n@vector Nop $t >= 16\n"
    assert latencies(lines)[0] == QUICK + DRAIN


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("TensorCopy b, a", 3072),  # 4x
        ("TensorCopy b[:, 0:1024], a[:, ::4]", 512),  # 2x
        ("TensorScalar b, a, op0=add, operand0=1.0", 3072),
        ("TensorTensor b, a, a, op=add", 2048),
        ("TensorCopy f, g", 2048),  # float32: two elements per cycle
        ("TensorCopy f, a", 942),  # 0.77 cycles per element: 3,154 of 4,096
        ("TensorCopy p, a[:, 0:512]", 256),
    ],
)
def test_what_a_fast_mode_saves_is_what_the_bus_costs(line: str, key: int) -> None:
    tiles = BF | {"f": sbuf("f32", (128, 4096)), "g": sbuf("f32", (128, 4096))}
    tiles["p"] = psum("bf16", (128, 512))
    for on in ("trn2", "trn3"):
        found = cost(f"@vector {line}", on, **tiles)
        assert (found.pace, found.key) == ("bus", key), on
    assert cost(f"@vector {line}", "trn1", **{**tiles}).pace == ""


def test_instructions_without_a_fast_mode_ask_for_no_bus() -> None:
    tiles = {name: sbuf("f32", (128, 512)) for name in "abc"} | {"s": sbuf("f32", (128, 1))}
    for line in ("TensorTensor c, a, b, op=add", "Reciprocal c, a", "Memset c, 0.0"):
        assert cost(f"@vector {line}", "trn2", **tiles).pace == "", line
    # An operand that is read apart takes as long with and without it.
    line = "TensorScalar c, a, op0=add, operand0={}"
    keys = {cost("@vector " + line.format(x), "trn2", **tiles).key for x in ("s", "1.0")}
    assert keys == {256}
