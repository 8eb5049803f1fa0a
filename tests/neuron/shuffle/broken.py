"""Transpose, LoadMaskRegister, Shuffle."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import sbuf


def cases() -> list[Broken]:
    row, block, starts = "Transpose", "a tile of up to 32x32", "src and dst start where"
    high = {"top": sbuf("f32", (1, 64), "64:0"), "most": sbuf("f32", (96, 64))}
    two = {"next": sbuf("f32", (1, 64), "32:0")}
    return [
        Broken(
            row,
            block,
            "E0404",
            "data is 32x32, dst 32x64; wanted dst 32x32",
            "@vector Transpose low, a[0:32, 0:32]",
        ),
        Broken(
            row,
            block,
            "E0404",
            "data is 64x64, dst 128x64; wanted dst 64x64",
            "@vector Transpose c, half",
        ),
        Broken(
            row,
            block,
            "E0404",
            "data is 128x7, dst 128x7; wanted multiples of 32",
            "@vector Transpose few, few",
        ),
        Broken(
            row,
            "dst and data have the same",
            "E0405",
            "dst is float32 and data is int32",
            "@vector Transpose c, i",
        ),
        Broken(
            "LoadMaskRegister",
            "an entry of shuffle_mask",
            "E0410",
            "has -1, 32 and 256",
            "@vector LoadMaskRegister [-1, 32, 256, " + ", ".join(["255"] * 29) + "]",
        ),
        Broken(
            "Shuffle",
            "dst and src have the same number of elements",
            "E0404",
            "dst 64 and src 32",
            "@vector Shuffle c, thin",
        ),
        Broken(
            "Shuffle",
            "dst and src have the same dtype",
            "E0405",
            "dst is float32 and src is int32",
            "@vector Shuffle c, i",
        ),
        Broken(
            "Shuffle",
            starts,
            "E0401",
            "src starts at partition 64; wanted 0",
            "@vector Shuffle most, top",
            tiles=high,
        ),
        Broken(
            "Shuffle",
            starts,
            "E0401",
            "src starts at partition 32; wanted 0 or 64",
            "@vector Shuffle half, next",
            tiles=two,
        ),
    ]
