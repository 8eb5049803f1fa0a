"""Mamba: the three versions of AWS's tutorial, on Trainium1."""

from __future__ import annotations

from programs.published.rows import Bound, Kernel, Row, Use, text
from programs.published.runs import Run

KERNELS = "aws-neuron/aws-neuron-sdk, nki/examples/fused_mamba/mamba_nki_kernels.py"
TUTORIAL = "nki/guides/tutorials/fused_mamba.rst"

CHOICES = (
    "Sync issues the loads and GpSimd the stores, as the profiles show: rings qSyncIO0 and "
    "qGpSimdIO0.",
    "broadcast_to is one matmul of ones by the row, on Tensor, as the tutorial says of broadcasts "
    "over partitions. Vector reads its result in PSUM: PSUM stays full long after the last matmul, "
    "and too few instructions of Vector are counted for copies to SBUF.",
    "Instructions stay in the order of the source on every engine; each engine runs as far ahead "
    "as its buffers allow.",
)
OF_V1 = (
    "States are the outer loop and tiles the inner one, as the tutorial describes the version that "
    "was profiled; the source as it is today has them the other way round. A row of B or C is "
    "loaded and broadcast once a state: the profile shows a matmul or two in 70 µs.",
    "Two buffers: with 64 KiB of sums they fill half of SBUF, which is what the tutorial reports.",
)
RELOADED = (
    "delta and u are loaded in every state, as it is written; the profile counts 7.1 and 7.6 loads "
    "of them instead of 16, since the compiler kept some.",
)
KEPT = (
    "delta and u are loaded once: the profile shows no transfer after the first 12 µs.",
    "Vector reads all broadcasts in PSUM, though the profile suggests that some are copied: how "
    "many cannot be read. Beside the kernel's 160 instructions it has three Memsets, and an "
    "EventSemaphore where an instruction waits for two things.",
)
HOISTED = (
    "delta * u does not depend on the state, and is computed once for each tile: a figure of the "
    "performance guide shows the compiler spill a deltaU of all positions, which lives that long.",
    "PSUM holds four broadcasts of B and four of C, one a bank: the profiles show all eight in "
    "use.",
)
MEANWHILE = ("delta and u of the next tile are loaded meanwhile.",)
CUT = (
    "The copy of a scan's last result is Vector's. That of the last piece, which nobody reads, and "
    "the zero that the first piece begins with are left out: as written, Vector would have 42,016 "
    "instructions at 8,192 positions, of which the profile counts 39,695.",
    "delta, u and sums have one buffer each from 5,632 positions on, where two do not fit: the "
    "profile shows SBUF half empty between tiles.",
)
LONG = (
    "The kernel keeps whole sequences on the chip: with 8,192 positions that leaves no room for "
    "second buffers, and the vendor's compiler spills. Here everything has one buffer and is "
    "worked on in place, and nothing is spilled.",
    "Rows are loaded and broadcast in pieces of 512 positions, all of B before those of C, since a "
    "step needs sixteen of each and PSUM holds four.",
    "The sum is cleared behind the product delta * u, which need not wait for its last store.",
    "delta and u of the next tile are loaded when nobody needs those of this one any more.",
)
SPILLS = "the vendor's compiler spills from SBUF here, as the tutorial shows of 8,192 positions"
SPILLED = (
    "the published figure contains what the vendor's compiler spills from SBUF and fills again, as "
    "the tutorial shows; ours has one buffer of everything, works in place, and spills nothing"
)


def _mamba(
    version: int, choices: tuple[str, ...], channels: int, program: str = "", **sizes: int
) -> Kernel:
    few = sizes["SEQ"] <= 1024
    return Kernel(
        name=f"mamba v{version}, {channels:,} channels, {sizes['SEQ']:,} positions",
        source=f"{KERNELS}, mamba_v{version}; {TUTORIAL}",
        choices=CHOICES + choices,
        program=text(program or f"mamba_v{version}.nasm"),
        target="trn1",
        full={"CHANNELS": channels, **sizes},
        along="" if few else "CHANNELS",
        reduced=(0, 0, 0) if few else (384, 512, 640),
    )


V1_SMALL = _mamba(1, OF_V1 + KEPT, 256, SEQ=512, RELOAD=0)
V1 = _mamba(1, OF_V1 + RELOADED, 4096, SEQ=512, RELOAD=1)
V2 = {length: _mamba(2, HOISTED + MEANWHILE, 4096, SEQ=length) for length in (512, 1024, 2048)}
V2_LONG = _mamba(2, HOISTED + LONG, 4096, "mamba_v2_long.nasm", SEQ=8192)
V3 = {
    length: _mamba(3, HOISTED + MEANWHILE + CUT, 4096, SEQ=length)
    for length in (512, *range(1024, 9216, 1024))
}

OF_V2 = {512: 1.6, 1024: 4.4, 2048: 8.9}
OF_V3 = {
    512: 1.6, 1024: 3.3, 2048: 6.6, 3072: 10.1, 4096: 13.3, 5120: 17.3, 6144: 19.6, 7168: 24.2,
    8192: 27.8,
}  # fmt: skip


def _total(
    name: str, published: float, kernel: Kernel, use: Use = Use.JUDGES, remark: str = ""
) -> Row:
    return Row(
        name=name, figure="total", published=published * 1000, use=use, bound=Bound.ENGINE,
        kernel=kernel, measure=lambda run: run.total, whole=True,
        family="mamba" if use is Use.JUDGES else "", remark=remark,
    )  # fmt: skip


def _active(
    name: str, published: float, kernel: Kernel, use: Use = Use.JUDGES, remark: str = ""
) -> Row:
    return Row(
        name=name, figure="Vector active", published=published * 1000, use=use, bound=Bound.ENGINE,
        kernel=kernel, measure=lambda run: run.active("vector"),
        family="mamba" if use is Use.JUDGES else "", remark=remark,
    )  # fmt: skip


def instructions(run: Run) -> float:
    """How many instructions Vector executed."""
    return len(run.of("vector"))


def _events(name: str, published: float, kernel: Kernel) -> Row:
    return Row(
        name=name, figure="Vector instructions", published=published, use=Use.NEITHER,
        bound=Bound.PROGRAM, kernel=kernel, measure=instructions, unit="instructions",
        remark="its waits were the compiler's, here they are ours",
    )  # fmt: skip


UNKNOWN = (
    "the profile shows a dozen instructions of Scalar that are no exponentials, probably copies of "
    "broadcasts to SBUF, where Vector takes twice as long to read them, and 21 of Vector's 181 are "
    "in no source: a list of instructions would decide it"
)
UNEVEN = (
    "published, a position of 5,120 takes 6 % longer than one of 6,144, and 4 % longer than one of "
    "4,096; nothing in the kernel tells them apart: profiles of both lengths would decide it"
)
BLOCKED = (
    "Vector waited 0.18 ms for loads: a picture has it wait 4.9 µs for one tile of u, which Sync "
    "issued behind a burst of some 16 short transfers; what these load, and how often they come, "
    "it does not show, and would decide it"
)

ROWS = (
    _total("#12", 0.17293, V1_SMALL, remark=UNKNOWN),
    _active("#12", 0.14899, V1_SMALL, remark=UNKNOWN),
    _events("#12", 181, V1_SMALL),
    _total("#13 v1", 2.34, V1, remark=BLOCKED),
    _active("#13 v1", 2.12, V1),
    _events("#13 v1", 2955, V1),
    _total("#13 v2", 1.61, V2[512]),
    _active("#13 v2", 1.57, V2[512]),
    _events("#13 v2", 2896, V2[512]),
    _total("#14 v2", 53.33, V2_LONG, Use.NEITHER, SPILLED),
    _active("#14 v2", 31.32, V2_LONG, Use.NEITHER, SPILLED),
    _total("#14 v3", 27.8, V3[8192]),
    _active("#14 v3", 26.26, V3[8192]),
    _events("#14 v3", 39695, V3[8192]),
    _total("#15 v2, 512", OF_V2[512], V2[512]),
    *(_total(f"#15 v2, {n}", OF_V2[n], V2[n], Use.NEITHER, SPILLS) for n in (1024, 2048)),
    *(
        _total(f"#15 v3, {n}", published, V3[n], remark=UNEVEN if n in (5120, 6144) else "")
        for n, published in OF_V3.items()
    ),
)
