"""Registers and branches."""

from __future__ import annotations

from tests.neuron.broken import Broken


def cases() -> list[Broken]:
    element, plain = "a register is one element", "a register takes plain numbers"
    return [
        Broken("TensorLoad", element, "E0404", "src has 4 elements", "@sync TensorLoad %r0, N"),
        Broken("TensorStore", element, "E0404", "dst has 4 elements", "@sync TensorStore N, %r0"),
        Broken(
            "TensorLoad",
            plain,
            "E0405",
            "src is float8_e4m3fn_x4",
            "@sync TensorLoad %r0, w[0, 0]",
            "trn3",
        ),
        Broken(
            "TensorStore",
            plain,
            "E0405",
            "dst is float8_e8m0fnu",
            "@sync TensorStore scale[0, 0], %r0",
            "trn3",
        ),
        Broken(
            "CompareBranch",
            "a comparison needs both",
            "E0407",
            "op=less without",
            "@sync\nh: CompareBranch %r0, op=less, target=h",
        ),
    ]
