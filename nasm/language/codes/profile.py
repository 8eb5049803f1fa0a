"""Codes of what a profile warns of: right, but slower than it could be, W0101 to W0105."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "W0101",
        "descriptors that are too small",
        "A DMA engine moves a transfer descriptor by descriptor: pieces that are contiguous on "
        "both sides. Each keeps it busy for some nanoseconds, however small it is, so that "
        "small ones leave most of its bandwidth unused. Give the destination the layout of the "
        "source, move whole rows, or move several small tensors as one.\n\n"
        "Lines that take less than 1 % of the run are not reported.",
        "@sync DmaCopy  b[:, 0:8], B[:, 0:8]   $loaded += 16",
        "@sync DmaCopy  b, B   $loaded += 16",
        severity=Severity.WARNING,
    ),
    Code(
        "W0102",
        "a large transfer on few DMA engines",
        "A partition of SBUF or PSUM belongs to one of the 16 DMA engines: 8 partitions that "
        "follow each other to each. A transfer to or from few partitions leaves the other "
        "engines idle. Spread the tensor over all 128 partitions.\n\n"
        "Transfers that are too small to give every engine a descriptor of proper size are not "
        "reported, nor are lines that take less than 1 % of the run.",
        "@sync DmaCopy  b[0:8], B[0:8]   $loaded += 16",
        "@sync DmaCopy  b, B   $loaded += 16",
        severity=Severity.WARNING,
    ),
    Code(
        "W0103",
        "a queue that waits while a transfer after its head is ready",
        "Instructions of a queue start in order. This one waited for a semaphore, and after it in "
        "the same queue was a transfer whose own wait was over: it could have been issued long "
        "before. Typically a store that waits for results delays the loads of the next rounds. "
        "Issue stores from another engine, or later: after the loads that do not depend on them.\n"
        "\n"
        "The message says for how long it was ready. The run would gain less: what is ready need "
        "not be urgent. How much it would gain is what `profile` finds by running it with each "
        "queue in any order.",
        "@vector Memset   a, 1.0   $loaded++\n"
        "@gpsimd Memset   c, 1.0   $done++\n"
        "@sync   DmaCopy  C, c     $done >= 1\n"
        "@sync   DmaCopy  A, a     $loaded >= 1",
        "@vector Memset   a, 1.0   $loaded++\n"
        "@gpsimd Memset   c, 1.0   $done++\n"
        "@scalar DmaCopy  C, c     $done >= 1\n"
        "@sync   DmaCopy  A, a     $loaded >= 1",
        severity=Severity.WARNING,
    ),
    Code(
        "W0104",
        "a table that is loaded over and over",
        "A function of Scalar that is not in the loaded table has its table loaded first, which "
        "takes more than a microsecond. Where two functions take turns in a loop that is so in "
        "every round. Apply the one to all tiles and then the other, or choose functions of one "
        "table.",
        "@vector Memset      c, 1.0   $done++\n"
        "@scalar Activation  acc, c, op=exp   $done >= 1\n"
        ".for i in 0..4\n"
        "@scalar Activation  acc, c, op=sigmoid\n"
        "@scalar Activation  acc, c, op=exp\n"
        ".end",
        "@vector Memset      c, 1.0   $done++\n"
        "@scalar Activation  acc, c, op=exp   $done >= 1\n"
        ".for i in 0..4\n"
        "@scalar Activation  acc, c, op=exp\n"
        ".end\n"
        ".for i in 0..4\n"
        "@scalar Activation  acc, c, op=sigmoid\n"
        ".end",
        severity=Severity.WARNING,
    ),
    Code(
        "W0105",
        "a bank of PSUM that two engines use at one time",
        "Two engines accessed one bank of PSUM in the same moment. What that costs is not "
        "published, so it costs nothing here, and hardware may be slower. Give what one engine "
        "writes, and what another reads meanwhile, banks of their own.",
        "@sync   DmaCopy         a, A                 $loaded += 16\n"
        "@sync   DmaCopy         b, B                 $loaded += 16\n"
        "@vector Memset          acc[:, 256:512], 0.0 $loaded >= 32\n"
        "@tensor LoadStationary  a                    $loaded >= 32\n"
        "@tensor MultiplyMoving  acc[:, 0:256], b[:, 0:256]",
        ".psum   other f32[128, 512]\n"
        "@sync   DmaCopy         a, A                 $loaded += 16\n"
        "@sync   DmaCopy         b, B                 $loaded += 16\n"
        "@vector Memset          other, 0.0           $loaded >= 32\n"
        "@tensor LoadStationary  a                    $loaded >= 32\n"
        "@tensor MultiplyMoving  acc[:, 0:256], b[:, 0:256]",
        severity=Severity.WARNING,
    ),
)
