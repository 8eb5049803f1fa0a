"""LayerNorm as AWS's former tutorial has it, on Trainium2."""

from __future__ import annotations

from programs.published.rows import Bound, Kernel, Row, Use, text

LAYERNORM = Kernel(
    name="LayerNorm, 4,096 by 8,192",
    source="aws-neuron/nki-samples, src/nki_samples/tutorials/layernorm/layernorm_nki_kernel.py, "
    "nki_layernorm_kernel_v1 (in its history); measured in Joejoedesu/voyager-compiler, "
    "docs/trainium-isa-model.md",
    choices=(
        "Which LayerNorm was measured is not published; the size is the tutorial's. This is the "
        "tutorial's first version, in nki.language only.",
        "Means are reductions on Vector, squares are Scalar's, and so is rsqrt: they are its "
        "functions.",
        "Shift and scale are one instruction: the tutorial's second version says of the same "
        "expression that it is to become one.",
        "broadcast_to is a matmul of ones by each row on Tensor, 512 columns at a time, copied to "
        "SBUF by Scalar: both rows together are larger than PSUM. The bytes of another measured "
        "implementation show the rows loaded once.",
        "Sync issues the loads and GpSimd the stores; tiles of the input and of the output have "
        "two buffers, which with the rows fill SBUF but for 32 KiB.",
    ),
    program=text("layernorm_v1.nasm"),
    full={"ROWS": 4096, "COLUMNS": 8192},
    along="ROWS",
    reduced=(512, 768, 1024),
)

UNKNOWN = "which LayerNorm was measured is not published; its instructions would decide it"

ROWS = (
    Row(name="#17", figure="total", published=1728, use=Use.JUDGES, bound=Bound.ENGINE,
        kernel=LAYERNORM, measure=lambda run: run.total, whole=True, remark=UNKNOWN),
    Row(name="#17", figure="bytes", published=268.500992, use=Use.JUDGES, bound=Bound.PROGRAM,
        kernel=LAYERNORM, measure=lambda run: run.bytes / 1e6, unit="MB"),
)  # fmt: skip
