"""Rows of HBM that a tile names, moved by DMA."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import hbm, sbuf

TILES = {
    "T": hbm("f32", (512, 64)),
    "W": hbm("bf16", (512, 64)),
    "X": hbm("bf16", (512, 2, 2, 16)),
    "J": hbm("f32", (128, 64)),
    "e": sbuf("i32", (128, 1)),
    "u": sbuf("u32", (128, 1)),
    "u2": sbuf("u32", (64, 2)),
    "u24": sbuf("u32", (24, 1)),
    "two": sbuf("i32", (64, 2)),
    "one1": sbuf("i32", (1, 1)),
    "tt": sbuf("bf16", (64, 128)),
    "t24": sbuf("bf16", (64, 24)),
    "t4": sbuf("bf16", (16, 2, 2, 128)),
    "tf": sbuf("f32", (64, 128)),
    "t8": sbuf("bf16", (64, 8)),
    "t16": sbuf("bf16", (64, 16)),
}

ROWS = "T.ap([[64, 128], [1, 64]], vector_offset=e)"


def broken(row: str, sentence: str, code: str, piece: str, lines: str, on: str = "trn2") -> Broken:
    return Broken(row, sentence, code, piece, lines, on, TILES)


def cases() -> list[Broken]:
    copy, turn, add = "DmaCopy", "DmaTranspose", "DmaCompute"
    since, gpsimd, each = "rows that a tile names are", "a tile names rows on", "an index of a copy"
    turned = "@gpsimd DmaTranspose {}, {}.ap({}, vector_offset={}), dge_mode=swdge"
    wide = "[[64, 128], [1, 64]]"
    sums = "a sum with rows"
    return [
        broken(copy, since, "E0408", "rows of T on v2", f"@gpsimd DmaCopy a, {ROWS}", "trn1"),
        broken(copy, gpsimd, "E0407", "rows of T on sync", f"@sync DmaCopy a, {ROWS}"),
        broken(
            copy, gpsimd, "E0407", "with dge_mode=none", f"@gpsimd DmaCopy a, {ROWS}, dge_mode=none"
        ),
        broken(
            copy,
            each,
            "E0404",
            "two[64, 2] names the rows of T[128, 64]; wanted [128, 1]",
            "@gpsimd DmaCopy a, T.ap([[64, 128], [1, 64]], vector_offset=two)",
        ),
        broken(
            copy,
            "a start known at run time",
            "E0407",
            "starts at a tile with vector's default dge_mode=none",
            "@vector DmaCopy a, T.ap([[64, 128], [1, 64]], scalar_offset=one1, indirect_dim=0)",
        ),
        broken(
            "DmaTrigger",
            "a prepared transfer has",
            "E0407",
            "T is addressed by a tile",
            f".dma t\n  a <- {ROWS}\n.end\n@sync DmaTrigger t",
        ),
        broken(
            turn, since, "E0408", "rows of W on v2", turned.format("tt", "W", wide, "u"), "trn1"
        ),
        broken(
            turn,
            gpsimd,
            "E0407",
            "on sync",
            turned.format("tt", "W", wide, "u").replace("@gpsimd", "@sync"),
        ),
        broken(
            turn,
            "gathered rows of a transpose",
            "E0404",
            "src has 8 rows",
            turned.format("t8", "W", "[[64, 8], [1, 64]]", "u"),
        ),
        broken(
            turn,
            "gathered rows of a transpose",
            "E0404",
            "src is [128, 2, 2, 16]",
            turned.format("t4", "X", "[[64, 128], [32, 2], [16, 2], [1, 16]]", "u"),
        ),
        broken(
            turn,
            "gathered rows are transposed",
            "E0405",
            "src is float32",
            turned.format("tf", "T", wide, "u"),
        ),
        broken(
            turn,
            "gathered rows are transposed",
            "E0405",
            "the index e is int32",
            turned.format("tt", "W", wide, "e"),
        ),
        broken(
            turn,
            "an index of a transpose",
            "E0404",
            "the index u24 is [24, 1]",
            turned.format("t16", "W", "[[64, 16], [1, 64]]", "u24"),
        ),
        broken(
            turn,
            "an index of a transpose",
            "E0404",
            "the index u2 is [64, 2]",
            turned.format("tt", "W", wide, "u2"),
        ),
        broken(
            turn,
            "oob_mode=skip of a transpose",
            "E0407",
            "a fixed address",
            "@sync DmaTranspose tt, W[0:128], oob_mode=skip",
        ),
        broken(
            add,
            since,
            "E0408",
            "on v2",
            f"@gpsimd DmaCompute a, [{ROWS}, a], reduce_op=add",
            "trn1",
        ),
        broken(
            add, gpsimd, "E0407", "on vector", f"@vector DmaCompute a, [{ROWS}, a], reduce_op=add"
        ),
        broken(
            add,
            each,
            "E0404",
            "two[64, 2] names",
            f"@gpsimd DmaCompute a, [{ROWS.replace('=e', '=two')}, a], reduce_op=add",
        ),
        broken(
            add, sums, "E0407", "3 sources", f"@gpsimd DmaCompute a, [{ROWS}, a, b], reduce_op=add"
        ),
        broken(
            add,
            sums,
            "E0407",
            "dst is none of the sources",
            f"@gpsimd DmaCompute a, [{ROWS}, b], reduce_op=add",
        ),
        broken(
            add,
            sums,
            "E0407",
            "rows of hbm and a tile in sbuf",
            f"@gpsimd DmaCompute J, [{ROWS}, J], reduce_op=add",
        ),
        broken(
            add,
            "the addresses of a sum",
            "E0407",
            "J starts at a register",
            "@gpsimd DmaCompute a[0:16], [J[%r1 : +16], b[0:16]], reduce_op=add",
        ),
    ]
