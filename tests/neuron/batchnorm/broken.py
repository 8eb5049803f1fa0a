"""BatchNormStats, BatchNormAggregate."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import sbuf


def cases() -> list[Broken]:
    tiles = {
        "six": sbuf("f32", (128, 6)),
        "six64": sbuf("f32", (64, 6)),
        "two": sbuf("f32", (128, 2)),
        "two64": sbuf("f32", (64, 2)),
    }
    stats, both = "BatchNormStats", "BatchNormAggregate"
    return [
        Broken(
            stats,
            "dst and data have",
            "E0404",
            "dst has 64",
            "@vector BatchNormStats six64, a",
            tiles=tiles,
        ),
        Broken(
            stats,
            "data has 1 to 512",
            "E0410",
            "data has 600",
            "@vector BatchNormStats six, wide",
            tiles=tiles,
        ),
        Broken(
            stats,
            "dst has exactly 6",
            "E0410",
            "dst has 8",
            "@vector BatchNormStats best, a",
            tiles=tiles,
        ),
        Broken(
            both,
            "dst and data have",
            "E0404",
            "dst has 64",
            "@vector BatchNormAggregate two64, six",
            tiles=tiles,
        ),
        Broken(
            both,
            "data holds count",
            "E0410",
            "data has 64 elements per partition; wanted a",
            "@vector BatchNormAggregate two, a",
            tiles=tiles,
        ),
        Broken(
            both,
            "dst has exactly 2",
            "E0410",
            "dst has 6",
            "@vector BatchNormAggregate six, six",
            tiles=tiles,
        ),
    ]
