"""Rows of HBM that a tile names: gathered, scattered, skipped, transposed and added by DMA."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.debugger.session import Session
from tests.neuron import programs
from tests.neuron.programs import Tile, fault, hazards, hbm, ran, result, sbuf
from tests.shares import shares

TABLE = hbm("f32", 100 * np.arange(40)[:, None] + np.arange(8))  # T[r, j] = 100 r + j
GATHER = "@gpsimd DmaCopy c, T.ap([[8, {n}], [1, 8]], vector_offset=i){more}"
SCATTER = "@gpsimd DmaCopy c.ap([[8, {n}], [1, 8]], vector_offset=i), s{more}"


def index(*entries: int, dtype: str = "i32") -> Tile:
    return sbuf(dtype, np.array(entries)[:, None])


def gathered(*entries: int, more: str = "", on: str = "trn2", held: float = -1) -> list[float]:
    """The first element of each row of a tile that held one value everywhere."""
    n = len(entries)
    got = result(
        GATHER.format(n=n, more=more),
        on,
        T=TABLE,
        i=index(*entries),
        c=sbuf("f32", np.full((n, 8), held)),
    )
    return [float(v) for v in got[:, 0]]


def scattered(*entries: int, more: str = "", rows: int = 6) -> list[float]:
    """The last element of each row of a table of -1 into which rows 0, 1, … were scattered."""
    n = len(entries)
    got = result(
        SCATTER.format(n=n, more=more),
        "trn2",
        i=index(*entries),
        s=sbuf("f32", TABLE.values[:n]),
        c=hbm("f32", np.full((rows, 8), -1)),
    )
    return [float(v) for v in got[:, 7]]


@pytest.mark.parametrize("on", ["trn2", "trn3"])
def test_partition_p_gets_the_row_that_its_entry_names(on: str) -> None:
    assert gathered(7, 0, 39, 7, on=on) == [700, 0, 3900, 700]


def test_a_scatter_leaves_the_other_rows_alone() -> None:
    assert scattered(4, 1, 2) == [-1, 107, 207, -1, 7, -1]


def test_two_rows_for_one_place_are_a_hazard_and_the_last_stays() -> None:
    made = programs.session(
        SCATTER.format(n=2, more=""),
        "trn2",
        i=index(3, 3),
        s=sbuf("f32", TABLE.values[:2]),
        c=hbm("f32", np.full((6, 8), -1)),
    )
    report = made.run()
    assert [h.code for h in report.hazards] == ["E0502"]
    assert made.read("c")[:, 7].tolist() == [-1, -1, -1, 107, -1, -1]


@pytest.mark.parametrize("entry", [40, -1, -(2**31)])
def test_a_row_out_of_bounds_is_a_fault_or_is_skipped(entry: int) -> None:
    tiles = {"T": TABLE, "i": index(5, entry, 6), "c": sbuf("f32", np.zeros((3, 8)))}
    problem = fault(GATHER.format(n=3, more=""), "trn2", **tiles)
    assert problem.code == "E0508"
    assert problem.message == f"entry 1 of i is {entry}: T can be addressed with 0 to 39 here"
    assert gathered(5, entry, 6, more=", oob_mode=skip") == [500, -1, 600]


def test_a_row_that_is_not_scattered_changes_nothing() -> None:
    assert scattered(6, 0, 9, more=", oob_mode=skip") == [107, -1, -1, -1, -1, -1]
    assert scattered(6, -5, more=", oob_mode=skip") == [-1] * 6


def test_what_was_skipped_counts_as_unwritten() -> None:
    lines = GATHER.format(n=2, more=", oob_mode=skip $done += 16").replace("c,", "c,")
    more = "\n@vector TensorCopy d, c[0:{}] $done >= 16"
    tiles = {"T": TABLE, "i": index(3, 99), "c": sbuf("f32", (2, 8))}
    for rows, wanted in ((1, []), (2, ["E0501"])):
        text = f".sem done\n{lines}{more.format(rows)}"
        assert hazards(text, "trn2", **tiles, d=sbuf("f32", (rows, 8))) == wanted


def test_part_of_each_row_and_a_static_offset() -> None:
    got = result(
        "@gpsimd DmaCopy c, T.ap([[8, 2], [3, 2]], offset=9, vector_offset=i)",
        "trn2",
        T=TABLE,
        i=index(4, 38),
        c=sbuf("f32", (2, 2)),
    )
    assert got.tolist() == [[501, 504], [3901, 3904]]
    problem = fault(
        "@gpsimd DmaCopy c, T.ap([[8, 2], [3, 2]], offset=9, vector_offset=i)",
        "trn2",
        T=TABLE,
        i=index(4, 39),
        c=sbuf("f32", (2, 2)),
    )
    assert "can be addressed with 0 to 38 here" in problem.message


def test_rows_may_have_axes_and_another_dtype() -> None:
    table = hbm("bf16", np.arange(24).reshape(4, 2, 3))
    got = result(
        "@gpsimd DmaCopy c, T.ap([[6, 2], [3, 2], [1, 3]], vector_offset=i)",
        "trn2",
        T=table,
        i=index(3, 1, dtype="u32"),
        c=sbuf("f32", (2, 6)),
    )
    assert got.tolist() == [[18, 19, 20, 21, 22, 23], [6, 7, 8, 9, 10, 11]]


def test_rows_go_from_table_to_table() -> None:
    got = result(
        "@gpsimd DmaCopy c.ap([[8, 3], [1, 8]], vector_offset=j), "
        "T.ap([[8, 3], [1, 8]], vector_offset=i), oob_mode=skip",
        "trn2",
        T=TABLE,
        i=index(9, 77, 8),
        j=index(2, 1, 3),
        c=hbm("f32", np.full((4, 8), -1)),
    )
    assert got[:, 0].tolist() == [-1, -1, 900, 800]


def test_the_entries_are_those_of_the_start() -> None:
    lines = """
    @gpsimd Memset i, 3
    @gpsimd DmaCopy c, T.ap([[8, 2], [1, 8]], vector_offset=i)
    @gpsimd Memset i, 5
    """
    done = ran(lines, "trn2", T=TABLE, i=sbuf("i32", (2, 1)), c=sbuf("f32", (2, 8)))
    assert done.read("c")[:, 0].tolist() == [300, 300]
    (memset, issue, _) = programs.times(done, "gpsimd")
    assert issue[0] == memset[1], "it waits for the entries, which its own queue writes"


def test_descriptors_of_a_gather_take_as_long_as_published_beside_gpsimd() -> None:
    tiles = {"T": TABLE, "i": index(1, 2), "c": sbuf("f32", (2, 8))}
    line = GATHER.format(n=2, more="")
    assert programs.cost(line, "trn2", **tiles).interval == 10, "8 ns at 1.2 GHz"
    done = programs.ran(line, "trn2", **tiles)
    assert {s.arrived for s in shares(done.machine.trace)} == {4968}, "1,035 ns of 4.8 ticks"


def test_shares_that_go_their_own_ways_move_their_own_rows() -> None:
    wide = hbm("f32", np.arange(300)[:, None] * np.ones(64))
    entries = np.random.default_rng(1).permutation(300)[:100]
    lines = (
        ".sem s\n@gpsimd\nDmaCopy d, U $s += 16\n"
        "DmaCopy c, T.ap([[64, 100], [1, 64]], vector_offset=i)"
    )
    got = result(
        lines,
        "trn2",
        T=wide,
        i=index(*entries),
        c=sbuf("f32", (100, 64)),
        U=hbm("f32", np.zeros((17, 4000))),
        d=sbuf("f32", (17, 4000)),
    )
    assert got[:, 5].tolist() == entries.tolist()


# ---------------------------------------------------------------- hazards


def test_scatters_to_different_rows_do_not_meet() -> None:
    lines = SCATTER.format(n=2, more="") + "\n@sync DmaCopy c[{}], s[0:1]"
    tiles = {"i": index(4, 1), "s": sbuf("f32", np.zeros((2, 8))), "c": hbm("f32", (6, 8))}
    assert hazards(lines.format("2:3"), "trn2", **tiles) == []
    both = lines.format("2:3") + "\n@gpsimd DmaCopy c.ap([[8, 2], [1, 8]], vector_offset=j), s"
    assert hazards(both, "trn2", **tiles, j=index(0, 3)) == []


def test_reading_a_row_that_is_being_scattered_is_a_race() -> None:
    lines = SCATTER.format(n=2, more="") + "\n@sync DmaCopy d, c[{}]"
    tiles = {
        "i": index(4, 1),
        "s": sbuf("f32", np.zeros((2, 8))),
        "c": hbm("f32", np.zeros((6, 8))),
        "d": sbuf("f32", (1, 8)),
    }
    assert hazards(lines.format("3:4"), "trn2", **tiles) == []
    assert hazards(lines.format("4:5"), "trn2", **tiles) == ["E0502"]


def test_rows_nothing_wrote_are_reported_only_if_they_are_named() -> None:
    lines = (
        ".sem w\n@gpsimd\nDmaCopy T[0:4], s $w += 16\nEventSemaphore $w >= 16\n"
        + GATHER.format(n=2, more="").replace("@gpsimd ", "")
    )
    tiles = {"T": hbm("f32", (8, 8)), "s": sbuf("f32", np.zeros((4, 8))), "c": sbuf("f32", (2, 8))}
    assert hazards(lines, "trn2", **tiles, i=index(3, 0)) == []
    assert hazards(lines, "trn2", **tiles, i=index(3, 4)) == ["E0501"]
    skipping = lines.replace("vector_offset=i)", "vector_offset=i), oob_mode=skip")
    assert hazards(skipping, "trn2", **tiles, i=index(3, 8)) == []


# ---------------------------------------------------------------- one start


@pytest.mark.parametrize("by", ["%r1", "k"])
def test_a_dma_starts_where_a_register_or_a_tile_says(by: str) -> None:
    lines = f"""
    @gpsimd TensorLoad %r1, k
    @gpsimd DmaCopy c, T.ap([[8, 16], [1, 4]], offset=2, scalar_offset={by}, indirect_dim=0){{}}
    """
    tiles = {"T": TABLE, "c": sbuf("f32", np.full((16, 4), -1))}
    got = result(lines.format(""), "trn1", k=index(20), **tiles)
    assert got[:, 0].tolist() == [100 * r + 2 for r in range(20, 36)]
    out = index(25)
    assert fault(lines.format(""), "trn1", k=out, **tiles).code in ("E0506", "E0508")
    skipped = result(lines.format(", oob_mode=skip"), "trn1", k=out, **tiles)
    assert (skipped == -1).all()


def test_a_transfer_that_is_left_out_still_posts() -> None:
    lines = """
    .sem s
    @gpsimd
    RegisterMove %r1, 99
    DmaCopy c, T[%r1 : +2], oob_mode=skip   $s += 16
    EventSemaphore                          $s >= 16
    """
    done = ran(lines, "trn1", T=TABLE, c=sbuf("f32", np.full((2, 8), -1)))
    assert (done.read("c") == -1).all()


# ---------------------------------------------------------------- transposes and sums


def turned(rows: int, entries: Tile) -> Session:
    table = hbm("bf16", np.arange(64)[:, None] + np.arange(3) / 4)
    return ran(
        f"@gpsimd DmaTranspose c, T.ap([[3, {rows}], [1, 3]], vector_offset=i), dge_mode=swdge",
        "trn2",
        T=table,
        i=entries,
        c=sbuf("bf16", (3, rows)),
    )


def test_gathered_rows_are_transposed() -> None:
    entries = np.arange(16)[::-1, None] * 3
    got = turned(16, sbuf("u32", entries)).read("c")
    assert got[0].tolist() == entries[:, 0].tolist()
    assert got[2].tolist() == (entries[:, 0] + 0.5).tolist()


def test_entries_of_a_transpose_are_taken_column_by_column() -> None:
    entries = np.zeros((128, 2))
    entries[:, 0], entries[:, 1] = np.arange(128) % 64, 7
    got = turned(144, sbuf("u32", entries)).read("c")
    assert got[0].tolist() == [*range(64), *range(64), *[7] * 16]


def test_a_tile_is_added_to_the_rows_that_are_named() -> None:
    rows = "c.ap([[8, 3], [1, 8]], vector_offset=i)"
    lines = f"@gpsimd DmaCompute {rows}, [{rows}, s], reduce_op=add"
    tiles = {"s": sbuf("f32", TABLE.values[1:4]), "c": hbm("f32", np.full((6, 8), 1))}
    got = result(lines, "trn2", i=index(5, 0, 3), **tiles)
    assert got[:, 0].tolist() == [201, 1, 1, 301, 1, 101]
    twice = fault(lines, "trn2", i=index(5, 0, 5), **tiles)
    assert twice.code == "E0701"
    skipping = lines.replace("=add", "=add, oob_mode=skip")
    got = result(skipping, "trn2", i=index(5, 6, 6), **tiles)
    assert got[:, 0].tolist() == [1, 1, 1, 1, 1, 101]


def test_the_rows_that_are_named_are_added_to_a_tile() -> None:
    lines = "@gpsimd DmaCompute c, [T.ap([[8, 2], [1, 8]], vector_offset=i), c], reduce_op=add"
    got = result(lines, "trn2", T=TABLE, i=index(4, 2), c=sbuf("f32", np.full((2, 8), 0.5)))
    assert got[:, 1].tolist() == [401.5, 201.5]


# ---------------------------------------------------------------- what the vendor publishes


def test_the_vendors_loads_by_index() -> None:
    """nki.language.load by an index, examples 1 and 2; nki.isa.dma_copy, example 2."""
    data = np.random.default_rng(0).random((128, 512)).astype(np.float32) * 100
    got = result(
        "@gpsimd DmaCopy c, D.ap([[512, 64], [1, 512]], vector_offset=i)",
        "trn2",
        D=hbm("f32", data),
        i=index(*range(0, 128, 2)),
        c=sbuf("f32", (64, 512)),
    )
    assert np.array_equal(got, data[2 * np.arange(64)])


def test_the_vendors_stores_by_index() -> None:
    """nki.language.store by an index, examples 1 and 2; nki.isa.dma_copy, example 6."""
    data = np.random.default_rng(0).random((64, 512)).astype(np.float32) * 100
    got = result(
        "@gpsimd DmaCopy c.ap([[512, 64], [1, 512]], vector_offset=i), d",
        "trn2",
        d=sbuf("f32", data),
        i=index(*range(0, 128, 2)),
        c=hbm("f32", np.full((128, 512), -1)),
    )
    want = np.full((128, 512), -1, np.float32)
    want[2 * np.arange(64)] = data
    assert np.array_equal(got, want)


def test_the_vendors_out_of_bounds_gather() -> None:
    """nki.isa.dma_copy, examples 3 and 4: every third row of 128, 64 times."""
    data = np.random.default_rng(0).random((128, 512)).astype(np.float32)
    tiles = {
        "D": hbm("f32", data),
        "i": index(*range(0, 192, 3)),
        "c": sbuf("f32", np.full((64, 512), -1)),
    }
    lines = "@gpsimd DmaCopy c, D.ap([[512, 64], [1, 512]], vector_offset=i)"
    assert fault(lines, "trn2", **tiles).message.startswith("entry 43 of i is 129:")
    got = result(f"{lines}, oob_mode=skip", "trn2", **tiles)
    want = np.full((64, 512), -1, np.float32)
    want[:43] = data[3 * np.arange(43)]
    assert np.array_equal(got, want)


def test_the_vendors_out_of_bounds_scatter() -> None:
    """nki.isa.dma_copy, examples 7 and 8."""
    data = np.random.default_rng(0).random((64, 512)).astype(np.float32)
    tiles = {
        "d": sbuf("f32", data),
        "i": index(*range(0, 192, 3)),
        "c": hbm("f32", np.full((128, 512), -1)),
    }
    lines = "@gpsimd DmaCopy c.ap([[512, 64], [1, 512]], vector_offset=i), d"
    assert fault(lines, "trn2", **tiles).code == "E0508"
    got = result(f"{lines}, oob_mode=skip", "trn2", **tiles)
    want = np.full((128, 512), -1, np.float32)
    want[3 * np.arange(43)] = data[:43]
    assert np.array_equal(got, want)


def test_the_vendors_store_that_adds() -> None:
    """nki.isa.dma_copy, example 5, as dma_compute does it today."""
    data = np.random.default_rng(0).random((64, 512)).astype(np.float32)
    rows = "c.ap([[512, 64], [1, 512]], vector_offset=i)"
    got = result(
        f"@gpsimd DmaCompute {rows}, [{rows}, d], reduce_op=add",
        "trn2",
        d=sbuf("f32", data),
        i=index(*range(0, 128, 2)),
        c=hbm("f32", np.ones((128, 512))),
    )
    want = np.ones((128, 512), np.float32)
    want[2 * np.arange(64)] += data
    assert np.array_equal(got, want)


def test_the_vendors_scalar_dynamic_access() -> None:
    """NKI access patterns guide: A[3 * 128:, 0:256] by an offset in SBUF."""
    data = np.random.default_rng(0).random((512, 512)).astype(np.float32)
    got = result(
        "@sync DmaCopy c, A.ap([[512, 128], [1, 256]], offset=0, scalar_offset=b, indirect_dim=0)",
        "trn2",
        A=hbm("f32", data),
        b=sbuf("i32", [[3 * 128]]),
        c=hbm("f32", (128, 256)),
    )
    assert np.array_equal(got, data[3 * 128 :, :256])


def test_the_vendors_pattern_of_a_part() -> None:
    """NKI access patterns guide: t[0:16, 8:16] of a [16, 16] tile."""
    data = np.arange(256, dtype=np.float32).reshape(16, 16)
    got = result(
        "@vector TensorCopy c, t.ap([[16, 16], [1, 8]], offset=8)",
        "trn2",
        t=sbuf("f32", data),
        c=sbuf("f32", (16, 8)),
    )
    assert np.array_equal(got, data[:, 8:16])
