"""Pipelines of random depth: loads, products, copies and stores, most settle into rounds."""

from __future__ import annotations

import random

PIPELINE = """\
.target trn2
.const M = {m}, K = {k}, DEEP = {deep}
.hbm  A  f32[K*128, M*{wide}]  input
.hbm  B  f32[K*128, {tall}]  input
.hbm  C  f32[M*128, {tall}]  output
.sem  used, copied
.for i in 0..DEEP
.sbuf a{{i}} f32[128, {wide}]
.sbuf b{{i}} f32[128, {tall}]
.sem  loaded{{i}}
.end
.for i in 0..2
.psum p{{i}} f32[128, {tall}] @ bank i
.sbuf c{{i}} f32[128, {tall}]
.sem  stored{{i}}
.end
.for m in 0..M
.const o = m % 2
.for k in 0..K
.const i = m*K + k, b = i % DEEP
.const at = max(0, i - DEEP + 1)
@{first} DmaCopy a{{b}}, A[k*128 : +128, m*{wide} : +{wide}]  $used >= at $loaded{{b}} += 16
@{second} DmaCopy b{{b}}, B[k*128 : +128, :]  $used >= at $loaded{{b}} += 16
@tensor LoadStationary a{{b}}  $loaded{{b}} >= 32 * (i // DEEP + 1)
.if k == 0 and m >= 2
@tensor EventSemaphore $copied >= m - 1
.end
@tensor MultiplyMoving p{{o}}, b{{b}}, accumulate=(k > 0)  $used++
.end
.if m >= 2
@vector EventSemaphore $stored{{o}} >= 16 * (m // 2)
.end
@vector TensorCopy c{{o}}, p{{o}}  $used >= (m + 1) * K  $copied++
@{third} DmaCopy C[m*128 : +128, :], c{{o}}  $copied >= m + 1  $stored{{o}} += 16
.end
@{third} EventSemaphore $stored0 >= 16 * ((M + 1) // 2)
@{third} EventSemaphore $stored1 >= 16 * (M // 2)
"""


def text(seed: int) -> str:
    """A pipeline of random depth and widths, whose transfers come from random queues."""
    draw = random.Random(seed)
    queues = ["sync", "gpsimd", "scalar"]
    return PIPELINE.format(
        m=draw.choice((2, 4)), k=draw.choice((96, 112)), deep=draw.randint(2, 7),
        wide=draw.choice((32, 128)), tall=draw.choice((128, 384, 512)),
        first=draw.choice(queues), second=draw.choice(queues), third=draw.choice(queues),
    )  # fmt: skip
