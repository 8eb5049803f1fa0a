"""LocalGather, NcNGather, TopK."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import sbuf


def cases() -> list[Broken]:
    local, topk = "@gpsimd LocalGather", "@gpsimd TopK"
    tiles = {
        "src": sbuf("f32", (32, 64)),
        "val8193": sbuf("bf16", (32, 8193)),
        "at8193": sbuf("u32", (32, 8193)),
        "snake513": sbuf("bf16", (32, 513)),
        "src8": sbuf("f32", (8, 64)),
        "src64": sbuf("f32", (64, 64)),
        "ix": sbuf("u16", (32, 4)),
        "ix8": sbuf("u16", (8, 4)),
        "many": sbuf("u16", (32, 300)),
        "to": sbuf("f32", (32, 64)),
        "to8": sbuf("f32", (8, 64)),
        "cast": sbuf("bf16", (32, 64)),
        "big": sbuf("f32", (32, 4800)),
        "at": sbuf("u32", (32, 64)),
        "at8": sbuf("u32", (32, 8)),
        "snake": sbuf("bf16", (32, 4)),
        "snake8": sbuf("bf16", (8, 4)),
        "val": sbuf("bf16", (32, 8)),
        "val8": sbuf("bf16", (8, 8)),
        "val9": sbuf("bf16", (32, 9)),
        "at88": sbuf("u32", (8, 8)),
        "at9": sbuf("u32", (32, 9)),
        "at64": sbuf("u32", (64, 8)),
    }
    broken = [
        (
            "LocalGather",
            "dst, src_buffer and index have",
            "E0404",
            "dst has 32 partitions",
            f"{local} to, src64, ix",
        ),
        (
            "LocalGather",
            "the partitions of src_buffer",
            "E0404",
            "src_buffer has 8 partitions",
            f"{local} to8, src8, ix8",
        ),
        (
            "LocalGather",
            "num_elem_per_idx is",
            "E0410",
            "num_elem_per_idx=3",
            f"{local} to, src, ix, num_elem_per_idx=3",
        ),
        (
            "LocalGather",
            "a core has at most",
            "E0410",
            "index holds 64 for each core",
            f"{local} to, src, ix, num_valid_indices=65",
        ),
        (
            "LocalGather",
            "a core has at most",
            "E0410",
            "4800 valid indices",
            f"{local} big, src, many",
        ),
        (
            "LocalGather",
            "dst has num_valid_indices",
            "E0404",
            "dst has 64 elements per partition; wanted 128",
            f"{local} to, src, ix, num_elem_per_idx=2",
        ),
        (
            "LocalGather",
            "dst has the dtype of src_buffer",
            "E0405",
            "dst is bfloat16, src_buffer",
            f"{local} cast, src, ix",
        ),
        (
            "NcNGather",
            "dst and indices have",
            "E0404",
            "dst has 64 elements per partition",
            "@gpsimd NcNGather to, src, at8",
        ),
        (
            "NcNGather",
            "dst and data have",
            "E0404",
            "dst has 32 partitions, data 64",
            "@gpsimd NcNGather to, src64, at",
        ),
        (
            "NcNGather",
            "dst has the dtype of data",
            "E0405",
            "dst is bfloat16, data float32",
            "@gpsimd NcNGather cast, src, at",
        ),
        (
            "TopK",
            "val_dst, idx_dst and src have",
            "E0404",
            "val_dst has 32 partitions, idx_dst 64",
            f"{topk} val, at64, snake, 64",
        ),
        (
            "TopK",
            "the partitions of src",
            "E0404",
            "src has 8 partitions",
            f"{topk} val8, at88, snake8, 64",
        ),
        (
            "TopK",
            "val_dst and idx_dst have one K",
            "E0404",
            "val_dst has 8 elements per partition",
            f"{topk} val, at9, snake, 64",
        ),
        (
            "TopK",
            "val_dst and idx_dst have one K",
            "E0404",
            "K is 9; wanted 1 to 8",
            f"{topk} val9, at9, snake, 8",
        ),
        (
            "TopK",
            "src has at least",
            "E0410",
            "src has 4 elements per partition; wanted 5",
            f"{topk} val, at8, snake, 65",
        ),
        (
            "TopK",
            "K is at most 8,192 where sorted",
            "E0410",
            "K is 8,193; wanted 8,192 or less with sorted=True",
            f"{topk} val8193, at8193, snake513, 8208, sorted=true",
        ),
    ]
    return [Broken(*case, on="trn2", tiles=tiles) for case in broken]
