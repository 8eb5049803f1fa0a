"""Dropout, Rng, Rand2 and what seeds them."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import sbuf


def cases() -> list[Broken]:
    drop, tiles = "@vector Dropout", {"u": sbuf("u32", (128, 6)), "u24": sbuf("u32", (128, 24))}
    return [
        Broken(
            "Dropout", "dst and data have", "E0404", "dst has 64 partitions", f"{drop} half, a, 0.5"
        ),
        Broken(
            "Dropout",
            "data and prob have",
            "E0404",
            "data has 128 partitions, prob 64",
            f"{drop} c, a, col64",
        ),
        Broken(
            "Dropout",
            "data is of integers",
            "E0405",
            "dst is bfloat16, data float32",
            f"{drop} g, a, 0.5",
        ),
        Broken(
            "Dropout",
            "data is of integers",
            "E0405",
            "data is float8_e4m3fn_x4",
            f"{drop} w, w, 0.5",
            "trn3",
        ),
        Broken(
            "Dropout",
            "prob is float32",
            "E0405",
            "prob is tfloat32 with data of int32",
            f"{drop} i, i, tcol",
        ),
        Broken(
            "Dropout",
            "prob is float32",
            "E0405",
            "prob is int32 with data of float32",
            f"{drop} c, a, icol",
        ),
        Broken(
            "Rand2",
            "dst, min and max have",
            "E0404",
            "dst has 128 partitions, max 64",
            "@vector Rand2 c, 0.0, col64",
            "trn3",
        ),
        Broken(
            "Rand2",
            "min is less than max",
            "E0407",
            "min=1.0 with max=1.0",
            "@vector Rand2 c, 1.0, 1.0",
            "trn3",
        ),
        Broken(
            "SetRngSeed",
            "src_seeds is one",
            "E0404",
            "src_seeds has 128 elements",
            "@vector SetRngSeed icol",
        ),
        Broken(
            "RandSetState",
            "src_seeds has 6",
            "E0410",
            "24 elements per partition; wanted 6",
            "@gpsimd RandSetState u24",
            tiles=tiles,
        ),
        Broken(
            "RandSetState",
            "src_seeds has 6",
            "E0410",
            "6 elements per partition; wanted 24",
            "@vector RandSetState u",
            "trn3",
            tiles,
        ),
        Broken(
            "RandGetState",
            "dst has 6",
            "E0410",
            "24 elements per partition; wanted 6",
            "@gpsimd RandGetState u24",
            tiles=tiles,
        ),
    ]
