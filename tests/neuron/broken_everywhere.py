"""Programs that break the rules of every instruction."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import sbuf


def cases() -> list[Broken]:
    copy, start = "TensorCopy", "more than 64 partitions"
    pattern = "an access pattern"
    return [
        Broken(
            copy,
            "the generation has the dtype",
            "E0405",
            "src (fn) is float8_e4m3fn",
            "@vector TensorCopy g, fn",
        ),
        Broken(
            copy,
            "the generation has the dtype",
            "E0405",
            "float8_e3m4, which NeuronCore-v4",
            "@vector TensorCopy g, e3",
            "trn3",
            {"e3": sbuf("float8_e3m4", (128, 64))},
        ),
        Broken(
            "DmaCopy",
            "the generation has the dtype",
            "E0405",
            "float8_e8m0fnu",
            "@gpsimd DmaCopy g, scale",
            "trn1",
        ),
        Broken(
            copy,
            "an engine reads and writes",
            "E0403",
            "src is in psum; gpsimd reads sbuf",
            "@gpsimd TensorCopy c, p",
        ),
        Broken(
            copy,
            "an engine reads and writes",
            "E0403",
            "dst is in psum; gpsimd writes sbuf",
            "@gpsimd TensorCopy p, c",
        ),
        Broken(
            copy, start, "E0401", "starts at partition 16 with 32", "@vector TensorCopy low, odd"
        ),
        Broken(
            copy,
            start,
            "E0401",
            "starts at partition 32 with 64",
            "@vector TensorCopy half, a[32:96]",
        ),
        Broken(
            copy,
            start,
            "E0401",
            "starts at partition 1 with 100",
            "@vector TensorCopy c[0:100], a[1:101]",
        ),
        Broken(
            "MatchValueLoad",
            start,
            "E0401",
            "starts at partition 8",
            "@vector MatchValueLoad best[8:16]",
        ),
        Broken(
            copy,
            "the partitions of an operand",
            "E0402",
            "steps 2 partitions",
            "@vector TensorCopy half, a[::2]",
        ),
        Broken(
            copy,
            "a destination's pattern",
            "E0402",
            "walks some elements more than once",
            "@vector TensorCopy c.ap([[64, 128], [1, 4], [1, 4]]), a[:, 0:16]",
        ),
        Broken(
            copy,
            pattern,
            "E0402",
            "5 free dims",
            "@vector TensorCopy one[:, 0:32], deep.permute(0, 5, 4, 3, 2, 1)",
        ),
        Broken(
            copy,
            pattern,
            "E0402",
            "counts 70000",
            "@vector TensorCopy col[0:1].broadcast(1, 70000), a[0:1, 0:1].broadcast(1, 70000)",
        ),
        Broken(
            copy, pattern, "E0402", "steps 40000", "@vector TensorCopy one[:, 0:3], long[:, :, 0]"
        ),
        Broken(
            "TensorTensor",
            "arithmetic needs numbers",
            "E0405",
            "data1 (w) is float8_e4m3fn_x4",
            "@vector TensorTensor c, w, b, op=add",
            "trn3",
        ),
        Broken(
            copy,
            "arithmetic needs numbers",
            "E0405",
            "float8_e8m0fnu",
            "@vector TensorCopy c, scale",
            "trn3",
        ),
        Broken(
            copy,
            "at most 65,536 elements",
            "E0410",
            "(one) has 90000 elements",
            "@vector TensorCopy one.reshape(1, 300, 1).broadcast(1, 300, 300), "
            "one.reshape(1, 300, 1).broadcast(1, 300, 300)",
        ),
        Broken(
            copy,
            "at most 65,536 elements",
            "E0410",
            "wanted at most 4096 in psum",
            "@vector TensorCopy wide.view(bf16)[0:1, 0:1].broadcast(1, 4100), full",
        ),
    ]
