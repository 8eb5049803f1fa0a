"""Copies, transposes and sums by DMA."""

from __future__ import annotations

from dataclasses import replace

from tests.neuron.broken import Broken
from tests.neuron.programs import hbm, sbuf

TURNED = {
    "K": hbm("bf16", (16, 128)),
    "t": sbuf("bf16", (128, 16)),
    "L": hbm("bf16", (32, 128)),
    "u": sbuf("bf16", (128, 32)),
    "K3": hbm("bf16", (16, 4, 128)),
    "s": sbuf("bf16", (128, 4, 16)),
    "R": hbm("f32", (16, 128)),
    "r": sbuf("f32", (128, 16)),
    "Q": hbm("u8", (16, 128)),
    "q8": sbuf("u8", (128, 16)),
    "K5": hbm("bf16", (2, 2, 2, 2, 2)),
    "F": hbm("bf16", (3, 16, 64)),
    "f3": sbuf("bf16", (64, 16, 3)),
    "D": hbm("bf16", (2, 4, 64)),
    "d3": sbuf("bf16", (64, 4, 2)),
    "M": hbm("bf16", (8, 2, 2, 16)),
}


def cases() -> list[Broken]:
    return [*copying(), *triggering(), *transposing(), *adding()]


def copying() -> list[Broken]:
    dma, made = "DmaCopy", "hwdge is for Sync and"
    add = "compute_op=add needs v4 and"
    return [
        Broken(
            dma,
            "dst and src have the same number",
            "E0404",
            "dst has 4096 elements, src 8192",
            "@sync DmaCopy half, A",
        ),
        Broken(
            dma, made, "E0408", "dge_mode=hwdge on v2", "@sync DmaCopy a, A, dge_mode=hwdge", "trn1"
        ),
        Broken(
            dma, made, "E0408", "dge_mode=hwdge on vector", "@vector DmaCopy a, A, dge_mode=hwdge"
        ),
        Broken(dma, made, "E0408", "dge_mode=swdge on sync", "@sync DmaCopy a, A, dge_mode=swdge"),
        Broken(
            dma,
            "a DMA converts through",
            "E0405",
            "with dge_mode=hwdge",
            "@sync DmaCopy a, H, dge_mode=hwdge",
        ),
        Broken(
            dma,
            "a DMA converts through",
            "E0405",
            "bfloat16 into float32 with sync's default dge_mode=hwdge",
            "@sync\nRegisterMove %r1, 0\nDmaCopy a[0:32], H[%r1 : +32]",
        ),
        Broken(
            dma,
            "a DMA converts through",
            "E0405",
            "moved as they are",
            "@gpsimd DmaCopy A, w",
            "trn3",
        ),
        Broken(
            dma,
            "a start known at run time",
            "E0407",
            "src starts at a register with vector's default dge_mode=none",
            "@vector DmaCopy low, A[%r1 : +32]",
        ),
        Broken(
            dma,
            "a DMA writes every element",
            "E0404",
            "more than once",
            "@vector DmaCopy col.broadcast(128, 64), A",
        ),
        Broken(dma, "a DMA does not write PSUM", "E0406", "dst is in psum", "@sync DmaCopy p, A"),
        Broken(
            dma,
            "a DMA takes a priority",
            "E0408",
            "priority=1 on v3",
            "@sync DmaCopy a, A, priority=1",
        ),
        Broken(
            dma,
            "with hwdge and a start held",
            "E0407",
            "dst has 17 partitions",
            "@sync\nRegisterMove %r1, 0\nDmaCopy a[0:17], A[%r1 : +17]",
        ),
        Broken(
            dma,
            "with hwdge and a start held",
            "E0407",
            "src has 8 partitions",
            "@scalar\nRegisterMove %r1, 0\nDmaCopy A[%r1 : +8], a[0:8]",
            "trn3",
        ),
        Broken(dma, add, "E0407", "compute_op=add on v3", "@sync DmaCopy a, A, compute_op=add"),
        Broken(
            dma,
            add,
            "E0407",
            "compute_op=add into hbm",
            "@sync DmaCopy A, a, compute_op=add",
            "trn3",
        ),
        Broken(
            dma,
            add,
            "E0407",
            "compute_op=add of float32 to bfloat16",
            "@vector DmaCopy g, A, compute_op=add",
            "trn3",
        ),
        Broken(
            dma,
            add,
            "E0407",
            "compute_op=add of int32 to int32",
            "@sync DmaCopy i, i, compute_op=add",
            "trn3",
        ),
    ]


def triggering() -> list[Broken]:
    trigger = ".dma t\n  {}\n.end\n@sync DmaTrigger t"
    dtypes = "each line of the transfer is of"
    return [
        Broken(
            "DmaTrigger",
            "each line of the transfer has",
            "E0404",
            "half has 4096",
            trigger.format("half <- A"),
        ),
        Broken(
            "DmaTrigger",
            "each line of the transfer has",
            "E0404",
            "p is in psum",
            trigger.format("p <- A"),
        ),
        Broken(
            "DmaTrigger",
            "each line of the transfer writes",
            "E0404",
            "A is walked more",
            trigger.format("A[0:1].broadcast(128, 64) <- a"),
        ),
        Broken(
            "DmaTrigger", dtypes, "E0405", "moved as they are", trigger.format("a <- w"), "trn3"
        ),
        Broken(
            "DmaTrigger", dtypes, "E0405", "moved as they are", trigger.format("scale <- f"), "trn3"
        ),
        Broken("DmaTrigger", dtypes, "E0405", "does not have", trigger.format("fn <- fn")),
        Broken(
            "DmaTrigger",
            "a prepared transfer has",
            "E0407",
            "A starts at a register",
            trigger.format("low <- A[%r1 : +32]"),
        ),
    ]


def transposing() -> list[Broken]:
    turn, hard = "DmaTranspose", "with hwdge, src has"
    axes, shape = "axes is [1, 0]", "dst has the shape"
    said = [
        Broken(turn, axes, "E0404", "src has 5 axes", "@sync DmaTranspose t, K5"),
        Broken(
            turn,
            axes,
            "E0404",
            "axes=[0, 1] for 2 axes; wanted [1, 0]",
            "@sync DmaTranspose t, K, axes=[0, 1]",
        ),
        Broken(
            turn,
            axes,
            "E0404",
            "axes=[1, 0] for 3 axes; wanted [2, 1, 0]",
            "@sync DmaTranspose s, K3, axes=[1, 0]",
        ),
        Broken(
            turn,
            axes,
            "E0404",
            "axes=[3, 2, 1, 0] for 4 axes; wanted [3, 1, 2, 0]",
            "@sync DmaTranspose s, M, axes=[3, 2, 1, 0]",
        ),
        Broken(
            turn, shape, "E0404", "dst is [128, 32]; wanted [128, 16]", "@sync DmaTranspose u, K"
        ),
        Broken(
            turn,
            shape,
            "E0404",
            "dst is [128, 1, 16]; wanted [128, 16]",
            "@sync DmaTranspose t.reshape(128, 1, 16), K",
        ),
        Broken(
            turn,
            "a DMA writes every element",
            "E0404",
            "more than once",
            "@sync DmaTranspose t[:, 0:1].broadcast(128, 16), K",
        ),
        Broken(
            turn,
            "hwdge is for Sync and",
            "E0408",
            "dge_mode=hwdge on v2",
            "@sync DmaTranspose t, K, dge_mode=hwdge",
            "trn1",
        ),
        Broken(
            turn,
            "a DMA takes a priority",
            "E0408",
            "priority=0 on v2",
            "@sync DmaTranspose t, K, priority=0",
            "trn1",
        ),
        Broken(
            turn,
            "a transpose takes swdge only",
            "E0407",
            "dge_mode=swdge",
            "@gpsimd DmaTranspose t, K, dge_mode=swdge",
        ),
        Broken(
            turn,
            "dst and src of a transpose",
            "E0405",
            "bfloat16 into float32",
            "@sync DmaTranspose r, K",
        ),
        Broken(
            turn,
            "dst and src of a transpose",
            "E0405",
            "uint8 has 1 byte",
            "@sync DmaTranspose q8, Q",
        ),
        Broken(
            turn, hard, "E0407", "32 rows; wanted 16", "@sync DmaTranspose u, L, dge_mode=hwdge"
        ),
        Broken(
            turn,
            hard,
            "E0407",
            "3 rows; wanted 1, 2, 4, 8 or 16",
            "@scalar DmaTranspose f3, F, dge_mode=hwdge",
        ),
        Broken(
            turn,
            hard,
            "E0407",
            "2 x 4 rows; wanted a multiple of 16",
            "@sync DmaTranspose d3, D, dge_mode=hwdge",
        ),
        Broken(
            turn,
            hard,
            "E0407",
            "float32; wanted 2 bytes",
            "@sync DmaTranspose r, R, dge_mode=hwdge",
        ),
        Broken(
            turn,
            "a start known at run time",
            "E0407",
            "src starts at a register",
            "@sync DmaTranspose t, L[%r1 : +16]",
        ),
    ]
    return [replace(case, tiles=TURNED) for case in said]


def adding() -> list[Broken]:
    add, op = "DmaCompute", "reduce_op=add"
    return [
        Broken(
            add,
            "every source has",
            "E0404",
            "half has 4096 elements, dst 8192",
            f"@sync DmaCompute a, [A, half], {op}",
        ),
        Broken(
            add,
            "a DMA writes every element",
            "E0404",
            "more than once",
            f"@sync DmaCompute col.broadcast(128, 64), [A, b], {op}",
        ),
        Broken(
            add,
            "a sum needs numbers",
            "E0405",
            "w is float8_e4m3fn_x4",
            f"@sync DmaCompute a, [A, w], {op}",
            "trn3",
        ),
        Broken(
            add,
            "a sum needs numbers",
            "E0405",
            "scale is float8_e8m0fnu",
            f"@sync DmaCompute scale, [A], {op}",
            "trn3",
        ),
        Broken(
            add,
            "the generation has the dtype",
            "E0405",
            "srcs (fn) is float8_e4m3fn",
            f"@sync DmaCompute a, [A, fn], {op}",
        ),
        Broken(
            add,
            "scales are all 1.0",
            "E0407",
            "1 scales for 2 sources",
            f"@sync DmaCompute a, [A, b], {op}, scales=[1.0]",
        ),
        Broken(
            add,
            "scales are all 1.0",
            "E0407",
            "a scale of 2.0",
            f"@sync DmaCompute a, [A, b], {op}, scales=[1, 2]",
        ),
        Broken(
            add,
            "unique_indices is true",
            "E0407",
            "unique_indices=false",
            f"@sync DmaCompute a, [A, b], {op}, unique_indices=false",
        ),
        Broken(
            add,
            "the addresses of a sum",
            "E0407",
            "A starts at a register",
            f"@gpsimd DmaCompute low, [A[%r1 : +32]], {op}",
        ),
    ]
