"""TensorReduce, Max8."""

from __future__ import annotations

from tests.neuron.broken import Broken


def cases() -> list[Broken]:
    row, reduce = "TensorReduce", "@vector TensorReduce"
    axes = "axis names the last"
    return [
        Broken(
            row,
            "dst and data have",
            "E0404",
            "dst has 64 partitions, data 128",
            f"{reduce} col64, a, op=add, axis=1",
        ),
        Broken(
            row, axes, "E0404", "axis 0 is the partition axis", f"{reduce} col, a, op=add, axis=0"
        ),
        Broken(row, axes, "E0404", "wanted its last ones", f"{reduce} c, pair, op=add, axis=1"),
        Broken(row, axes, "E0404", "no axis", f"{reduce} c, a, op=add, axis=[]"),
        Broken(
            row,
            axes,
            "E0404",
            "5 axes; wanted at most 4",
            f"{reduce} one[:, 0:1], deep, op=add, axis=[1, 2, 3, 4, 5]",
        ),
        Broken(
            row,
            "dst has one element",
            "E0404",
            "dst has 64 elements per partition; wanted 1",
            f"{reduce} c, a, op=add, axis=1",
        ),
        Broken(
            row,
            "negate is for",
            "E0407",
            "op=bitwise_or",
            f"{reduce} icol, i, op=bitwise_or, axis=1, negate=true",
        ),
        Broken(
            row,
            "bitwise operators take",
            "E0405",
            "float32",
            f"{reduce} col, a, op=bitwise_or, axis=1",
        ),
        Broken("Max8", "dst and src have", "E0404", "dst has 64", "@vector Max8 best64, a"),
        Broken("Max8", "src has 8 to 16,384", "E0410", "src has 7", "@vector Max8 best, few"),
        Broken("Max8", "dst has exactly 8", "E0410", "dst has 7", "@vector Max8 few, a"),
        Broken(
            "Max8",
            "src has at most 2",
            "E0402",
            "src needs 3 free dims",
            "@vector Max8 best, a.ap([[64, 128], [32, 2], [8, 2], [1, 2]])",
        ),
    ]
