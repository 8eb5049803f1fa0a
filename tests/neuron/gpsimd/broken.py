"""Iota, AffineSelect, TensorPartitionReduce, SequenceBounds, NonzeroWithCount, DevicePrint."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import sbuf


def cases() -> list[Broken]:
    select, reduce = "@gpsimd AffineSelect", "@gpsimd TensorPartitionReduce"
    tiles = {
        "row": sbuf("f32", (1, 64)),
        "flags": sbuf("i32", (1, 64)),
        "two": sbuf("i32", (2, 64)),
        "bounds": sbuf("i32", (1, 2, 64)),
        "pairs": sbuf("i32", (2, 2, 64)),
        "found": sbuf("i32", (1, 65)),
        "founds": sbuf("i32", (2, 65)),
    }
    broken = [
        (
            "Iota",
            "pattern counts as many",
            "E0404",
            "pattern counts 32 elements; dst has 64",
            "@gpsimd Iota i, [[1, 8], [1, 4]]",
        ),
        (
            "Iota",
            "arithmetic needs numbers",
            "E0405",
            "w) is float8_e4m3fn_x4",
            "@gpsimd Iota w, [[1, 64]]",
        ),
        (
            "AffineSelect",
            "pattern counts as many",
            "E0404",
            "pattern counts 63 elements",
            f"{select} c, a, [[1, 63]], 1, 0.0",
        ),
        (
            "AffineSelect",
            "dst and on_true_tile have",
            "E0404",
            "dst has 64 partitions",
            f"{select} half, a, [[1, 64]], 1, 0.0",
        ),
        (
            "AffineSelect",
            "arithmetic needs numbers",
            "E0405",
            "float8_e8m0fnu",
            f"{select} scale, scale, [[1, 64]], 1, 0.0",
        ),
        (
            "TensorPartitionReduce",
            "dst has one partition",
            "E0404",
            "dst has 128 partitions",
            f"{reduce} c, a, op=add",
        ),
        (
            "TensorPartitionReduce",
            "dst has one partition",
            "E0404",
            "dst has 300 elements, data 64",
            f"{reduce} one, a, op=add",
        ),
        (
            "TensorPartitionReduce",
            "bitwise operators take",
            "E0405",
            "float32",
            f"{reduce} row, a, op=bitwise_or",
        ),
        (
            "SequenceBounds",
            "segment_ids has one partition",
            "E0404",
            "segment_ids has 2",
            "@gpsimd SequenceBounds bounds, two",
        ),
        (
            "SequenceBounds",
            "segment_ids has one partition",
            "E0404",
            "dst has 2 partitions",
            "@gpsimd SequenceBounds pairs, flags",
        ),
        (
            "SequenceBounds",
            "segment_ids has one partition",
            "E0404",
            "dst has 64 elements; wanted",
            "@gpsimd SequenceBounds flags, row",
        ),
        (
            "DevicePrint",
            "a message shows every",
            "E0404",
            "tensor walks some elements more",
            "@gpsimd DevicePrint a[:, 0:1].broadcast(128, 64)",
        ),
        (
            "NonzeroWithCount",
            "dst and src have",
            "E0404",
            "dst has 2 partitions, src 1",
            "@gpsimd NonzeroWithCount founds, row",
        ),
        (
            "NonzeroWithCount",
            "dst has one element more",
            "E0404",
            "dst has 64 elements per",
            "@gpsimd NonzeroWithCount flags, row",
        ),
    ]
    return [Broken(*case, on="trn3", tiles=tiles) for case in broken]
