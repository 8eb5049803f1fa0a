"""The rows of the tables of a profile, against ticks and bytes worked out by hand."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nasm.debugger.session import Session
from nasm.show import schema
from nasm.show.table_files import TableWriters
from nasm.show.table_rows import TableRows
from tests.parts import part

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))
KINDS = {schema.INTEGER: (int,), schema.NUMBER: (int, float), schema.TEXT: (str,)}

Rows = dict[str, list[dict[str, Any]]]

CHAIN = """\
.target trn2
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sem done
@gpsimd Memset a, 1.0 $done++
@vector TensorCopy b, a $done >= 1
"""


def gathered(text: str | Path, **given: Any) -> Rows:
    session = Session(text, profile=True, **given)
    rows: Rows = {name: [] for name in schema.tables(session.program.generation)}
    made = TableRows(session, lambda table, row: rows[table].append(dict(row)))
    session.run()
    made.close()
    assert not any(made._open)
    assert not made._flights
    assert not made._early
    return rows


def ns(ticks: int) -> int:
    return ticks * 1000 // 4800


def test_a_row_has_the_times_of_its_instruction() -> None:
    memset, copy = gathered(CHAIN)["Instruction"]
    # GpSimd: 150 + 512 cycles of 4 ticks, results 240 ticks later, seen 192 later
    busy = (150 + 512) * 4
    assert (memset["start_ts"], memset["end_ts"]) == (0, ns(busy + 240))
    assert memset["occupied_ns"] == ns(busy)
    assert (memset["evt_wait_time_ns"], memset["id"]) == (0, 0)
    start = busy + 240 + 192
    assert copy["start_ts"] == copy["evt_wait_time_ns"] == ns(start)
    assert copy["duration_ns"] == copy["end_ts"] - copy["start_ts"] > 0
    assert (copy["engine"], copy["pc"], copy["mnemonic"]) == ("vector", 0, "TensorCopy")
    assert copy["operands"] == "$done >= 1 b, a"
    assert memset["operands"] == "$done += 1 a, 1.0"
    assert copy["opcode"] == "COPY"
    assert memset["bir_debug_info_source_location"].endswith(":5")


REPLAYED = """\
.target wormhole
@t1 REPLAY 4, 2, 0, 1
@t1 SFPLOADI 3, 0, 0x4040
@t1 SFPNOP
@t1 REPLAY 4, 2, 0, 0
@t1 SETC16 0, 1
"""


def test_what_an_instruction_was_expanded_to_has_rows_of_its_own() -> None:
    rows = gathered(REPLAYED)["Instruction"]
    assert [(row["pc"], row["micro"], row["mnemonic"]) for row in rows] == [
        (3, 0, "SFPLOADI"),
        (3, 1, "SFPNOP"),
        (4, None, "SETC16"),
    ]


def test_a_wait_counts_from_when_nothing_else_holds_it_back() -> None:
    text = CHAIN.replace(
        "@vector Tensor", ".sbuf c f32[128, 512]\n@vector Memset c, 1.0\n@vector Tensor"
    )
    first, copy = (r for r in gathered(text)["Instruction"] if r["engine"] == "vector")
    start = (150 + 512) * 4 + 240 + 192
    busy = 410 * 5  # 0.8 cycles an element
    assert first["occupied_ns"] == ns(busy)
    assert copy["start_ts"] == ns(start)
    assert copy["evt_wait_time_ns"] == ns(start - busy)


def test_a_transfer_starts_with_the_first_of_its_shares() -> None:
    text = """\
.target trn2
.hbm A f32[8, 4096] input = iota
.hbm B f32[128, 64] input = iota
.sbuf a f32[8, 4096]
.sbuf b f32[128, 64]
.sem loaded
@sync DmaCopy a, A $loaded += 16
@sync DmaCopy b, B $loaded += 16
@sync EventSemaphore $loaded >= 32
"""
    one, two = sorted(gathered(text)["DmaPacketAggregated"], key=lambda row: row["id"])
    assert (one["dma_engines"], two["dma_engines"]) == ("0", "0-15")
    # The first takes its one engine for 128 KiB at 23 B/ns; the others start the second at once,
    # which was issued at most 600 ns later.
    assert 0 < two["start_ts"] - one["start_ts"] <= 600
    assert two["end_ts"] - one["start_ts"] > 128 * 1024 / 23


def test_a_row_has_the_bytes_of_each_memory_that_it_touches() -> None:
    memset, copy = gathered(CHAIN)["Instruction"]
    size = 128 * 512 * 4
    assert (memset["sbuf_read_bytes"], memset["sbuf_write_bytes"]) == (0, size)
    assert (copy["sbuf_read_bytes"], copy["sbuf_write_bytes"]) == (size, size)
    assert copy["hbm_read_bytes"] == copy["psum_write_bytes"] == 0


TRANSFER = """\
.target trn2
.hbm A f32[128, 64] input = iota
.sbuf a f32[128, 64]
.sem loaded
@sync Nop
@sync DmaCopy a, A, queue=2 $loaded += 16
@sync EventSemaphore $loaded >= 16
"""


def test_a_transfer_has_a_row_and_its_bytes_count_for_who_issued_it() -> None:
    found = gathered(TRANSFER)
    [row] = found["DmaPacketAggregated"]
    issue = found["Instruction"][1]
    assert (row["engine"], row["pc"], row["queue_idx"], row["pcore_idx"]) == ("sync", 1, 2, 0)
    assert (row["source"], row["dest"], row["dma_engines"]) == ("hbm", "sbuf", "0-15")
    assert row["read_bytes"] == row["write_bytes"] == row["transfer_bytes"] == 128 * 64 * 4
    assert row["descriptors"] == 128
    assert (row["trigger"], row["completion"]) == (issue["start_ts"], issue["end_ts"])
    assert row["trigger"] < row["start_ts"] < row["end_ts"]
    assert row["throughput"] == pytest.approx(128 * 64 * 4 / row["duration_ns"] * 1e9, rel=0.01)
    assert row["semaphore_id"] == "S[0] (loaded)"
    assert (issue["hbm_read_bytes"], issue["sbuf_write_bytes"]) == (128 * 64 * 4, 128 * 64 * 4)
    updates = found["SemaphoreUpdate"]
    assert [(u["value"], u["update_source"], u["timestamp"]) for u in updates] == [
        (16, "DMA", row["end_ts"])
    ]


def test_every_kind_of_update_has_its_name() -> None:
    text = """\
.target trn2
.sem s
.event e
@sync Nop $s++
@sync Nop $s += 3
@sync Nop $s--
@sync Nop $s -= 2
@sync Nop $s = 7
@sync Nop $e = 1
@sync Nop $e = 0
"""
    found = gathered(text)["SemaphoreUpdate"]
    assert [(u["id"], u["value"], u["update_operation_type"]) for u in found] == [
        ("S[0] (s)", 1, "sem_inc"),
        ("S[0] (s)", 4, "sem_add_imm"),
        ("S[0] (s)", 3, "sem_dec"),
        ("S[0] (s)", 1, "sem_sub_imm"),
        ("S[0] (s)", 7, "sem_wr_imm"),
        ("E[0] (e)", 1, "evt_set"),
        ("E[0] (e)", 0, "evt_clr"),
    ]
    assert {u["update_source"] for u in found} == {"sync"}


def test_usage_grows_with_what_is_written_and_only_then() -> None:
    text = """\
.target trn2
.psum p f32[128, 512] @ bank 0
.psum q f32[128, 512] @ bank 3
@vector Memset p[0:32, 0:256], 1.0
@vector Memset p[0:32, 0:256], 2.0
@vector Memset q, 1.0
@vector Memset p, 1.0
"""
    found = gathered(text)["PsumUsage"]
    assert [(u["bank_0_util_percent"], u["bank_3_util_percent"]) for u in found] == [
        (100 / 8, 0),  # a quarter of the partitions, half of each
        (100 / 8, 100),
        (100, 100),
    ]
    assert [u["avg_util_percent"] for u in found] == [100 / 64, 100 / 64 + 12.5, 25]
    assert found[0]["bank_1_util_percent"] == 0


def test_matmuls_have_their_flops_and_a_table_load_is_a_row() -> None:
    text = """\
.target trn2
.sbuf w bf16[128, 64] = zeros
.sbuf x bf16[128, 32] = zeros
.psum p f32[64, 32]
.sbuf y f32[64, 32]
.sem done
@tensor LoadStationary w
@tensor MultiplyMoving p, x $done++
@scalar Activation y, p, op=exp $done >= 1
"""
    found = gathered(text)
    load, matmul = (r for r in found["Instruction"] if r["engine"] == "tensor")
    assert (load["opcode"], load["raw_flops"]) == ("LDWEIGHTS", None)
    assert (matmul["opcode"], matmul["tensor_instruction_type"]) == ("MATMUL", "REGULAR")
    assert matmul["raw_flops"] == matmul["adjusted_flops"] == 2 * 128 * 64 * 32
    assert (matmul["flops_transpose"], matmul["adjusted_flops_transpose"]) == (0, 0)
    assert found["Summary"][0]["hardware_flops"] == 2 * 128 * 64 * 32


def test_loading_a_table_is_a_row() -> None:
    text = """\
.target trn2
.sbuf x f32[128, 64] = zeros
.sbuf y f32[128, 64]
@scalar Activation y, x, op=exp
@scalar Activation y, x, op=sigmoid
"""
    rows = gathered(text)["Instruction"]
    loads = [r for r in rows if r["opcode"] == "ACT_TABLE_LOAD"]
    assert [(r["engine"], r["pc"], r["mnemonic"]) for r in loads] == [("scalar", 1, "")]
    assert loads[0]["duration_ns"] in (1283, 1284)  # 1,283 ns in whole cycles


@pytest.mark.parametrize("path", part(PROGRAMS, 3), ids=lambda path: path.stem)
def test_every_row_has_its_columns_and_the_summary_is_their_sum(path: Path) -> None:
    rows = gathered(path)
    session = Session(path, profile=True)
    tables = schema.tables(session.program.generation)
    for name, columns in tables.items():
        for row in rows[name]:
            assert set(row) == {column.name for column in columns}, name
            for column in columns:
                value = row[column.name]
                assert value is None or isinstance(value, KINDS[column.kind]), column.name
    [summary] = rows["Summary"]
    done = [row for row in rows["Instruction"] if row["mnemonic"]]
    for column in summary:
        if column.startswith(("hbm_", "sbuf_", "psum_")):
            assert summary[column] == sum(row[column] for row in done), column
    for engine in session.program.generation.engines:
        mine = [row for row in done if row["engine"] == engine.name]
        assert summary[f"{engine.name}_engine_instruction_count"] == len(mine)
    assert summary["hardware_flops"] == sum(row["raw_flops"] or 0 for row in done)
    assert summary["dma_transfer_count"] == len(rows["DmaPacketAggregated"])
    moved = sum(row["transfer_bytes"] for row in rows["DmaPacketAggregated"])
    assert summary["dma_transfer_total_bytes"] == moved
    session.run()
    profile = session.profile()
    assert summary["total_time"] == pytest.approx(profile.microseconds / 1e6)
    assert len(done) == sum(e.instructions for e in profile.engines)
    assert moved == sum(m.bytes for m in profile.moved if m.ring is None)
    starts = [row["start_ts"] for row in rows["Instruction"]]
    assert all(row["end_ts"] >= row["start_ts"] for row in done)
    assert max(starts, default=0) <= summary["total_time"] * 1e9


def test_the_summary_of_two_cores_is_of_both() -> None:
    path = next(p for p in PROGRAMS if p.stem == "pair_softmax")
    session = Session(path, profile=True)
    [summary] = gathered(path)["Summary"]
    session.run()
    profile = session.profile()
    active = sum(e.active for e in profile.engines if e.engine == "vector")
    assert len({e.core for e in profile.engines}) == 2
    assert summary["vector_engine_active_time"] == pytest.approx(active / 4800 / 1e6)
    share = 100 * active / (2 * profile.ticks)
    assert summary["vector_engine_active_time_percent"] == pytest.approx(share)


def test_a_run_without_values_has_the_same_rows() -> None:
    for name in ("matmul_tiled", "softmax", "ring"):
        path = next(p for p in PROGRAMS if p.stem == name)
        assert gathered(path) == gathered(path, values=False)


def test_json_lines_have_every_column_in_its_order() -> None:
    session = Session(CHAIN, profile=True)
    tables = schema.tables(session.program.generation)
    files: Mapping[str, io.BytesIO] = {name: io.BytesIO() for name in tables}
    writers = TableWriters("jsonl", files, tables)
    rows = TableRows(session, writers)
    session.run()
    rows.close()
    for name, out in files.items():
        lines = out.getvalue().decode("ascii").splitlines()
        assert len(lines) == writers.of[name].rows
        for line in lines:
            assert list(json.loads(line)) == [column.name for column in tables[name]]
    assert writers.of["Instruction"].rows == 2


def test_what_was_given_cannot_be_taken_back() -> None:
    session = Session(CHAIN, profile=True)
    TableRows(session, lambda table, row: None)
    moment = session.checkpoint()
    session.run()
    with pytest.raises(ValueError, match="cannot go back"):
        session.back_to(moment)
