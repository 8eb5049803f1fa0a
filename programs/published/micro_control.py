"""What is not arithmetic: control instructions, hand-offs, descriptors, entry and exit."""

from __future__ import annotations

from itertools import pairwise

from nasm.api import assemble
from nasm.program.program import Program
from programs.published.micro import Probe, Section, gpsimd, sync, tensor
from programs.published.rows import Bound, Kernel, Row, Sizes, Use
from programs.published.runs import Run

PROFILES = Section(
    name="2.5",
    source="third-party profiles of decode kernels on Trainium2 (public write-ups), and "
    "Joejoedesu/voyager-compiler for MOVE",
)
FITTED = Section(
    name="2.3", source="Joejoedesu/voyager-compiler: gaps fitted to four fused kernels"
)
GUIDES = Section(
    name="2.1", source="aws-neuron/aws-neuron-sdk, glossary and nki-dma-bandwidth-guide.rst"
)

# ---------------------------------------------------------------- control

MOVE = sync("MOVE", "RegisterMove %r1, 7")
ALU = sync("ALU_OP", "RegisterAlu %r1, %r1, 1, op=add", before=("RegisterMove %r1, 7",))
READ = sync("TENSOR_LOAD", "TensorLoad %r1, word")
READ_BY_GPSIMD = gpsimd("TENSOR_LOAD", "TensorLoad %r1, word")
WAIT = sync("EVENT_SEMAPHORE", "EventSemaphore")

CONTROL = (
    PROFILES.completion(MOVE, (68, 70)),
    PROFILES.completion(ALU, (44, 47)),
    PROFILES.completion(
        READ,
        (331, 355),
        remark="one figure for all engines, 300 ns; this profile may "
        "be of Trainium3, which one of its lines says: a probe of Sync on "
        "Trainium2 would decide it",
    ),
    PROFILES.completion(READ_BY_GPSIMD, 297),
    PROFILES.completion(WAIT, (9, 21)),
)

# ---------------------------------------------------------------- transfers

LANDED = ("EventSemaphore  $done >= 16",)
SMALL = sync("DMA_DIRECT2D, small", "DmaCopy a, X  $done += 16", after=LANDED)
WIDE = sync("DMA_DIRECT2D of 393 KB", "DmaCopy a, X  $done += 16", n=768, after=LANDED)
HUGE = sync("DMA_DIRECT2D of 2.36 MB", "DmaCopy a, X  $done += 16", n=4608, after=LANDED)
SOFT = gpsimd("DMA_DIRECT2D", "DmaCopy a, X  $done += 16", n=64, after=LANDED)
INDIRECT = gpsimd("DMA_INDIRECT", "DmaCopy a, table.ap([[N, 128], [1, N]], vector_offset=rows)  "
                  "$done += 16", n=8, after=LANDED)  # fmt: skip


def arriving(run: Run) -> float:
    """From a transfer's first share to that of the next, in the second half of a stream."""
    starts = sorted(share.start for share in run.shares if share.pc == 0)
    late = starts[len(starts) // 2 :]
    return (late[-1] - late[0]) / (len(late) - 1) * 1000


DESCRIPTORS = (
    PROFILES.completion(SMALL, (520, 600)),
    PROFILES.completion(WIDE, 540, remark="600 ns are documented for all sizes, and 599 measured "
                        "for 256 KiB; a sweep of sizes would decide it"),
    PROFILES.completion(HUGE, 5738, remark="long instructions wait for descriptors to drain, which "
                        "is not modelled: a sweep of sizes between these two would decide it"),
    PROFILES.completion(SOFT, (8, 31)),
    PROFILES.row(SOFT, "from transfer to transfer", 650, arriving, count=60,
                 choice="Nothing else is to do, as in the first part of the profile."),
    PROFILES.row(INDIRECT, "from transfer to transfer", 1035, arriving, count=60),
)  # fmt: skip

# ---------------------------------------------------------------- hand-offs


COPIED = ("TensorCopy c, a  $done++",)


def _hand(name: str, *after: str, before: tuple[str, ...] = ()) -> Probe:
    return Probe(name=name, engine="vector", lines=COPIED, before=before, after=after)


TO_COPY = _hand("completion to a copy", "@scalar TensorCopy hc, c  $done >= 1")
TO_COMPUTE = _hand("completion to other work", "@scalar Activation hc, c, op=exp  $done >= 1")
TURNED = "@tensor LoadStationary c[:, 0:128], is_transpose=true  $done >= 1"
TO_TRANSPOSE = _hand("completion to a transpose", TURNED)
TO_STORE = _hand("completion to a store", "@sync DmaCopy Y, c  $done >= 1  $other += 16",
                 "@sync EventSemaphore  $other >= 16")  # fmt: skip

TO_LOAD = _hand("completion to a load", "@sync DmaCopy b, X  $done >= 1  $other += 16",
                "@sync EventSemaphore  $other >= 16")  # fmt: skip


def gap(run: Run) -> float:
    """From the completion on Vector to the first start on another engine."""
    begun = min(s.start for s in run.instructions if s.engine != "vector")
    return (begun - run.of("vector")[-1].end) * 1000


def to_data(run: Run) -> float:
    """From the completion on Vector to the first share."""
    return (run.shares[0].start - run.of("vector")[-1].end) * 1000


ONE = (
    "one hand-off for all, 40 ns, as pictures show 26 to 52; this fit is of four whole kernels, "
    "and says that it is rough: a probe of each pair of engines would decide it"
)
SPANS = "what of the transfer the gap spans is not published"
PARTS = (
    "a round number; its parts, hand-off and dispatch, are those of 2.3: a trace of one "
    "would decide it"
)

HAND_OFFS = (
    FITTED.row(TO_COPY, "to start", 37, gap, remark=ONE),
    FITTED.row(TO_TRANSPOSE, "to start", 47.5, gap, remark=ONE),
    FITTED.row(TO_COMPUTE, "to start", 100, gap, remark=ONE),
    FITTED.row(TO_STORE, "to first data", 893, to_data, use=Use.NEITHER, remark=SPANS),
    GUIDES.row(TO_LOAD, "to first data", 1300, to_data, remark=PARTS),
)

# ---------------------------------------------------------------- the slow start of Tensor

RAMP = tensor("slow start", "MultiplyMoving pc[:, 0:64], hb", n=64, before=("LoadStationary hk",))


def slow(run: Run) -> float:
    """From the first matmul until they follow each other faster than at first."""
    starts = [s.start for s in run.of("tensor", "MultiplyMoving")]
    first = starts[1] - starts[0]
    fast = (a for a, b in pairwise(starts) if b - a < 0.75 * first)
    return next(fast, starts[0]) - starts[0]


RAMPS = (GUIDES.row(RAMP, "at half rate", 3, slow, count=300, unit="µs"),)

# ---------------------------------------------------------------- entry and exit


def _kernel(target: str) -> Kernel:
    def make(_: Sizes, target: str) -> Program:
        return assemble(f".target {target}\n@sync EventSemaphore\n")

    return Kernel(
        name=f"entry and exit, {target}",
        source="nki/guides/tutorials/fused_mamba.rst (pictures) on Trainium1; "
        "Joejoedesu/voyager-compiler on Trainium2",
        choices=("A kernel that does nothing.",),
        program=make,
        target=target,
    )


def _entry(target: str, published: float | tuple[float, float]) -> Row:
    return Row(
        name=f"#39 {target}", figure="entry and exit", published=published, use=Use.SETS,
        bound=Bound.MICRO, kernel=_kernel(target), measure=lambda run: run.entry_and_exit,
    )  # fmt: skip


ENTRIES = (_entry("trn1", (12 + 5, 17 + 5)), _entry("trn2", 9.403))

ROWS = (*CONTROL, *DESCRIPTORS, *HAND_OFFS, *RAMPS, *ENTRIES)
