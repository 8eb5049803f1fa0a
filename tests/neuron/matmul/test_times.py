"""When the Tensor engine's instructions run: loads in the background, tiles side by side."""

from __future__ import annotations

import numpy as np
import pytest

from tests.neuron.programs import cost, psum, ran, sbuf, times
from tests.tables import each

ON = ("trn1", "trn2", "trn3")
ONES = np.ones((128, 128))
# Ticks per cycle of Tensor: two on v2 and v3, one on v4. A load of M columns takes M / 4 cycles.
BETWEEN = {"trn1": (0, 0), "trn2": (10, 14), "trn3": (10, 14)}
"""Cycles between matmuls: 10 from v3 on (521.6 a matmul of 512), float32 twice 7 (1,031 a pass)."""
FULL = {"power_ramp": "off"}


def between(dtype: str, on: str) -> int:
    return BETWEEN[on][dtype == "f32"]


def test_a_load_runs_behind_the_matmul_before_it() -> None:
    done = ran(
        "@tensor\nLoadStationary a\nMultiplyMoving c, b\nLoadStationary a\nMultiplyMoving d, b",
        a=sbuf("bf16", ONES),
        b=sbuf("bf16", np.ones((128, 512))),
        c=psum("f32", (128, 512)),
        d=psum("f32", (128, 512)),
    )
    starts = [start for start, _ in times(done, "tensor")]
    # Ticks of 2.8 GHz, two per cycle: a load takes 128 / 4 cycles, a matmul 512; the second load
    # starts a tick after the matmul, and the second matmul when the array is free.
    assert starts == [0, 64, 65, 64 + 1024]


def starts(lines: str, on: str) -> list[int]:
    """When the last four instructions start, relative to the first of them."""
    tiles = {name: sbuf("bf16", ONES) for name in "ab"} | {"c": psum("f32", (128, 512))}
    done = ran(lines, on, **tiles)
    found = [start for start, _ in times(done, "tensor")][-4:]
    return [start - found[0] for start in found]


TILE = "tile_position=[{row}, {column}], tile_size=[64, 64]"


def tiled(row: int, column: int, n: int = 128) -> str:
    """A matmul of a quarter of the array."""
    return f"MultiplyMoving c[{column} : +64, 0:{n}], a[{row} : +64, 0:{n}], " + TILE.format(
        row=row, column=column
    )


def quarters() -> str:
    return "@tensor\n" + "\n".join(
        f"LoadStationary a[{row} : +64, 0:64], {TILE.format(row=row, column=column)}"
        for row in (0, 64)
        for column in (0, 64)
    )


def test_four_quarters_of_the_array_multiply_side_by_side() -> None:
    corners = [(0, 0), (0, 64), (64, 0), (64, 64)]
    lines = "\n".join([quarters(), *(tiled(*corner) for corner in corners)])
    assert starts(lines, "trn1") == [0, 1, 2, 3]


def test_the_same_quarter_waits_for_itself() -> None:
    lines = "\n".join([quarters(), tiled(0, 0), tiled(64, 0), tiled(0, 0), tiled(64, 0, 64)])
    # 128 cycles of two ticks; the second (0, 0) starts when the first is through, and the
    # second (64, 0) a tick later, when its own cells are free.
    assert starts(lines, "trn1") == [0, 1, 256, 257]


def test_the_whole_array_waits_for_every_tile_of_it() -> None:
    lines = "\n".join(
        [
            "@tensor\nLoadStationary b",
            quarters(),
            tiled(0, 0),
            tiled(64, 64, 100),
            "LoadStationary a",
            "MultiplyMoving c[:, 0:64], a[:, 0:64]",
        ]
    )
    # The load needs 32 cycles and none of the array; the matmul waits for the tile of 128.
    assert starts(lines, "trn1") == [0, 1, 2, 256]


CHAIN = "@tensor\nLoadStationary a, is_transpose=true\n" + "\n".join(
    f"MultiplyMoving {dst}, b, is_transpose=true" for dst in "cdef"
)


@pytest.mark.parametrize(
    ("on", "wanted"), [("trn2", [0, 276, 552, 828]), ("trn3", [0, 1, 138, 139])]
)
def test_from_v4_on_two_transposes_run_at_a_time(on: str, wanted: list[int]) -> None:
    # 128 columns and 10 cycles each.
    tiles = {"a": sbuf("bf16", ONES), "b": sbuf("bf16", np.eye(128))}
    done = ran(CHAIN, on, FULL, **tiles, **{n: psum("bf16", (128, 128)) for n in "cdef"})
    found = [start for start, _ in times(done, "tensor")][1:]
    assert [start - found[0] for start in found] == wanted


def test_on_v4_a_transpose_hides_behind_a_matmul() -> None:
    lines = """@tensor
        LoadStationary b
        MultiplyMoving c, m
        LoadStationary a, is_transpose=true
        MultiplyMoving d, b, is_transpose=true
        LoadStationary b
        MultiplyMoving c, m"""
    done = ran(
        lines,
        "trn3",
        FULL,
        a=sbuf("bf16", ONES),
        b=sbuf("bf16", np.eye(128)),
        m=sbuf("bf16", np.ones((128, 512))),
        c=psum("f32", (128, 512)),
        d=psum("bf16", (128, 128)),
    )
    begun = [start for start, _ in times(done, "tensor")]
    # Loads of 32 cycles; the first matmul takes 522, and the second follows it at once.
    assert begun == [0, 32, 33, 65, 66, 32 + 522]


@pytest.mark.parametrize(("k", "slow"), [(128, 1), (65, 1), (64, 2), (32, 2), (1, 2)])
@pytest.mark.parametrize("dtype", ["bf16", "f32"])
def test_few_rows_halve_the_rate_from_v3_on(dtype: str, k: int, slow: int) -> None:
    passes = 4 if dtype == "f32" else 1
    tiles = {"b": sbuf(dtype, (k, 512)), "c": psum("f32", (128, 512))}
    found = [cost("@tensor MultiplyMoving c, b", on, **tiles).interval for on in ON]
    later = [(512 * passes + between(dtype, on)) * slow for on in ON[1:]]
    assert found == [512 * passes, *later]


def test_a_row_tile_runs_at_the_full_rate() -> None:
    tiles = {"b": sbuf("bf16", (64, 512)), "c": psum("f32", (128, 512))}
    line = "@tensor MultiplyMoving c, b, tile_position=[0, 0], tile_size=[64, 128]"
    assert cost(line, "trn2", **tiles).interval == 522


@pytest.mark.parametrize(
    ("step", "load_slots", "slots"), [(1, 64, 128), (4, 64, 128), (7, 112, 224), (8, 128, 256)]
)
def test_elements_far_apart_slow_both_tiles(step: int, load_slots: int, slots: int) -> None:
    # Elements 14 bytes apart begin every block of 16 but each eighth: 56 of 64, 112 of 128.
    tiles = {"b": sbuf("bf16", (128, 64 * step)), "c": psum("f32", (64, 128))}
    load = cost(f"@tensor LoadStationary b[:, ::{step}]", "trn2", **tiles)
    assert load.interval == load_slots // 4
    tiles["b"] = sbuf("bf16", (128, 128 * step))
    matmul = cost(f"@tensor MultiplyMoving c, b[:, ::{step}]", "trn2", **tiles)
    assert matmul.interval == slots + 10


def test_two_rows_in_a_partition_take_the_time_of_one() -> None:
    tiles = {"b": sbuf("e4m3", (128, 2, 512)), "c": psum("f32", (128, 512))}
    line = "@tensor MultiplyMoving c, b, perf_mode=double_row"
    assert [cost(line, on, **tiles).interval for on in ("trn2", "trn3")] == [522, 522]


def test_the_hint_of_the_load_halves_the_matmul_too() -> None:
    tiles = {"b": sbuf("f32", (128, 512)), "c": psum("f32", (128, 512))}
    line = "@tensor MultiplyMoving c, b, is_stationary_onezero=true"
    assert cost(line, "trn1", **tiles).interval == 1024


# -- what they cost


@each(("dtype", "passes"), [("bf16", 1), ("f16", 1), ("e4m3", 1), ("tf32", 1), ("f32", 4)])
@each("on", ON)
def test_a_matmul_streams_a_row_per_cycle_and_float32_four_times(
    dtype: str, passes: int, on: str
) -> None:
    for n, rows in ((1, 64), (64, 64), (65, 65), (512, 512)):
        tiles = {"b": sbuf(dtype, (128, n)), "c": psum("f32", (128, n))}
        found = cost("@tensor MultiplyMoving c, b", on, **tiles)
        assert found.interval == passes * rows + between(dtype, on)


@pytest.mark.parametrize(("columns", "cycles"), [(4, 1), (64, 16), (128, 32)])
def test_a_load_takes_a_quarter_of_its_columns_beside_the_array(columns: int, cycles: int) -> None:
    for dtype, passes, on in (("bf16", 1, "trn1"), ("bf16", 1, "trn2"), ("f32", 4, "trn2")):
        found = cost("@tensor LoadStationary a", on, a=sbuf(dtype, (128, columns)))
        assert found.interval == passes * cycles
        assert found.unit == "load"


@pytest.mark.parametrize("columns", [4, 64, 128])
def test_on_v2_both_parts_of_float32_are_loaded_while_no_product_runs(columns: int) -> None:
    a = sbuf("f32", (128, columns))
    whole = cost("@tensor LoadStationary a", "trn1", a=a)
    one = cost("@tensor LoadStationary a, is_stationary_onezero=true", "trn1", a=a)
    assert (whole.interval, whole.unit) == (2 * columns, "")
    assert (one.interval, one.unit) == (columns, "")


def test_on_v2_a_load_of_float32_and_a_product_take_turns() -> None:
    tiles = {"a": sbuf("f32", ONES), "b": sbuf("f32", np.ones((128, 512)))}
    lines = "@tensor" + "\nLoadStationary a\nMultiplyMoving c, b" * 2
    done = ran(lines, "trn1", **tiles, c=psum("f32", (128, 512)))
    starts = [start for start, _ in times(done, "tensor")]
    # Ticks of 2.8 GHz, two per cycle: 2 x 128 cycles, then 4 x 512
    assert starts == [0, 512, 512 + 4096, 512 + 4096 + 512]


def test_hints_and_transposes_halve_float32() -> None:
    tiles = {"a": sbuf("f32", (128, 128)), "c": psum("f32", (128, 128))}
    flags = ("is_transpose", "is_moving_onezero")
    got = [
        [cost(f"@tensor MultiplyMoving c, a, {f}=true", on, **tiles).interval for on in ON]
        for f in flags
    ]
    # v2 has no transpose mode: the flag only labels the profile. Halved it is one pass, of 7 more.
    assert got == [[512, 263, 263], [256, 263, 263]]
    line = "@tensor LoadStationary a, is_stationary_onezero=true"
    assert [cost(line, on, **tiles).interval for on in ON] == [128, 64, 64]


def test_double_row_takes_the_time_of_half_its_contraction() -> None:
    tiles = {
        "a": sbuf("e4m3", (128, 2, 128)),
        "b": sbuf("e4m3", (128, 2, 512)),
        "c": psum("f32", (128, 512)),
    }
    for on in ("trn2", "trn3"):
        line = "@tensor MultiplyMoving c, b, perf_mode=double_row"
        assert cost(line, on, **tiles).interval == 522
        assert cost("@tensor LoadStationary a, perf_mode=double_row", on, **tiles).interval == 32
