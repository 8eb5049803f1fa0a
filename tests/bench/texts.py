"""The programs that are measured, as texts of as many instructions as wanted."""

from __future__ import annotations

from collections.abc import Sequence

MATMUL = """\
.target trn1
.const S = 2048, T = 128, W = 512, KT = S // T, MT = S // T, NT = S // W
.hbm  A  bf16[S, S]  input
.hbm  B  bf16[S, S]  input
.hbm  C  f32[S, S]   output
.sem  loaded, done
.for k in 0..KT
.sbuf a{k} bf16[T, S]
.sbuf b{k} bf16[T, S]
@sync DmaCopy a{k}, A[k*T : +T, :]  $loaded += 16
@sync DmaCopy b{k}, B[k*T : +T, :]  $loaded += 16
.end
.for i in 0..8
.psum acc{i} f32[T, W] @ bank i
.end
.for i in 0..2
.sbuf c{i} f32[T, S]
.sem stored{i}
.end
.sem multiplied, copied
@tensor EventSemaphore $loaded >= 32 * KT
.for m in 0..MT
.if m >= 2
@tensor EventSemaphore $copied >= (m - 1) * NT
.end
.for k in 0..KT
@tensor LoadStationary a{k}[:, m*T : +T]
.for n in 0..NT
.if k < KT - 1
@tensor MultiplyMoving acc{(m % 2) * NT + n}, b{k}[:, n*W : +W], accumulate=(k > 0)
.else
@tensor MultiplyMoving acc{(m % 2) * NT + n}, b{k}[:, n*W : +W], accumulate=true  $multiplied++
.end
.end
.end
.if m >= 2
@vector EventSemaphore $stored{m % 2} >= 16 * (m // 2)
.end
.for n in 0..NT
.const tile = m * NT + n
@vector TensorCopy c{m % 2}[:, n*W : +W], acc{tile % 8}  $multiplied >= tile + 1  $copied++
.end
@sync DmaCopy C[m*T : +T, :], c{m % 2}  $copied >= (m + 1) * NT  $stored{m % 2} += 16
.end
@sync EventSemaphore $stored0 >= 8 * MT
@sync EventSemaphore $stored1 >= 8 * MT
"""

SMALL = """\
.target trn1
.sbuf t f32[128, 512]
@vector Memset t, 1.0
.for i in 0..{rounds}
.for j in 0..{columns}
@vector TensorScalar t[:, j*8 : +8], t[:, j*8 : +8], op0=multiply, operand0=1.0
.end
.end
"""

DISTINCT = """\
.target trn1
.sbuf t f32[128, 4096]
.for i in 0..{rounds}
.for j in 0..1000
@vector TensorScalar t[:, j*4 : +4], t[:, j*4 : +4], op0=multiply, operand0=i + 1.0
.end
.end
"""

NAIVE = """\
.target trn2
.const M = {m}, N = {n}, K = {k}, DEEP = {deep}
.hbm  A  f32[K*128, M*128]  input
.hbm  B  f32[K*128, N*512]  input
.hbm  C  f32[M*128, N*512]  output
.sem  used, copied
.for i in 0..DEEP
.sbuf a{{i}} f32[128, 128]
.sbuf b{{i}} f32[128, 512]
.sem  loaded{{i}}
.end
.for i in 0..2
.psum p{{i}} f32[128, 512] @ bank i
.sbuf c{{i}} f32[128, 512]
.sem  stored{{i}}
.end
.for m in 0..M
.for n in 0..N
.const tile = m*N + n, o = tile % 2
.for k in 0..K
.const i = tile*K + k, b = i % DEEP
.if i >= DEEP
@sync DmaCopy a{{b}}, A[k*128 : +128, m*128 : +128]  $used >= i - DEEP + 1  $loaded{{b}} += 16
.else
@sync DmaCopy a{{b}}, A[k*128 : +128, m*128 : +128]  $loaded{{b}} += 16
.end
@sync DmaCopy b{{b}}, B[k*128 : +128, n*512 : +512]  $loaded{{b}} += 16
@tensor LoadStationary a{{b}}  $loaded{{b}} >= 32 * (i // DEEP + 1)
.if k == 0 and tile >= 2
@tensor EventSemaphore $copied >= tile - 1
.end
@tensor MultiplyMoving p{{o}}, b{{b}}, accumulate=(k > 0)  $used++
.end
.if tile >= 2
@vector EventSemaphore $stored{{o}} >= 16 * (tile // 2)
.end
@vector TensorCopy c{{o}}, p{{o}}  $used >= (tile + 1) * K  $copied++
@gpsimd DmaCopy C[m*128 : +128, n*512 : +512], c{{o}}  $copied >= tile + 1  $stored{{o}} += 16
.end
.end
@gpsimd EventSemaphore $stored0 >= 16 * ((M*N + 1) // 2)
@gpsimd EventSemaphore $stored1 >= 16 * (M*N // 2)
"""
"""A product of float32 matrices, each tile loaded where it is used: every other instruction is a
transfer."""

BLOCKED = """\
.target trn2
.const M = {m}, N = {n}, K = {k}
.hbm  A  f32[K*128, M*512]   input
.hbm  B  f32[K*128, N*2048]  input
.sem  used, added
.for i in 0..4
.sbuf a{{i}} f32[128, 512]
.sbuf b{{i}} f32[128, 2048]
.sbuf sum{{i}} f32[128, 2048]
.sem  loaded{{i}}
@vector Memset sum{{i}}, 0.0
.end
.for i in 0..8
.psum p{{i}} f32[128, 512] @ bank i
.end
.for m in 0..M
.for n in 0..N
.for k in 0..K
.const c = (m*N + n)*K + k, s = c % 4
.if c >= 4
@sync EventSemaphore $used >= (c - 3) * 16
.end
@sync DmaCopy a{{s}}, A[k*128 : +128, m*512 : +512]  $loaded{{s}} += 16
@sync DmaCopy b{{s}}, B[k*128 : +128, n*2048 : +2048]  $loaded{{s}} += 16
@tensor EventSemaphore $loaded{{s}} >= 32 * (c // 4 + 1)
.for i in 0..4
@tensor LoadStationary a{{s}}[:, i*128 : +128]
.for j in 0..4
.const t = c*16 + i*4 + j, o = t % 8
.if t >= 8
@tensor MultiplyMoving p{{o}}, b{{s}}[:, j*512 : +512]  $added >= t - 7  $used++
.else
@tensor MultiplyMoving p{{o}}, b{{s}}[:, j*512 : +512]  $used++
.end
@vector EventSemaphore $used >= t + 1
@vector TensorTensor sum{{i}}[:, j*512 : +512], sum{{i}}[:, j*512 : +512], p{{o}}, op=add  $added++
.end
.end
.end
.end
.end
"""
"""The same with blocks that are used 4 times, and sums in SBUF: a transfer in 28 instructions."""

STREAM = """\
.target trn2
.sbuf w bf16[128, 8192]
.sbuf x bf16[128, 8192]
.sbuf y f32[128, 8192]
.sbuf z bf16[128, 8192]
.sem  multiplied, copied
.for i in 0..8
.psum p{{i}} f32[128, 512] @ bank i
.end
.for i in 0..{rounds}
@tensor LoadStationary w[:, (i % 64)*128 : +128]
.if i >= 8
@tensor MultiplyMoving p{{i % 8}}, x[:, (i % 16)*512 : +512]  $copied >= i - 7  $multiplied++
.else
@tensor MultiplyMoving p{{i % 8}}, x[:, (i % 16)*512 : +512]  $multiplied++
.end
@vector TensorCopy y[:, (i % 16)*512 : +512], p{{i % 8}}  $multiplied >= i + 1  $copied++
@scalar Activation z[:, (i % 16)*512 : +512], y[:, (i % 16)*512 : +512], op=exp  $copied >= i + 1
.end
"""

FLAT = "@vector TensorScalar t[:, {0}:{1}], t[:, {0}:{1}], op0=multiply, operand0={2}\n"

FREE = (
    STREAM.replace("copied\n", "copied, done\n")
    .replace("$copied >= i - 7", "$done >= i - 7")
    .replace("$copied >= i + 1", "$copied >= i + 1  $done++")
)
"""The same in order: each write waits until what it replaces was read."""


def flat(count: int, numbers: Sequence[float]) -> str:
    """A line for each instruction, with these numbers in turn."""
    lines = (
        FLAT.format(8 * (i % 64), 8 * (i % 64) + 8, numbers[i % len(numbers)]) for i in range(count)
    )
    return "".join([".target trn1\n.sbuf t f32[128, 512]\n@vector Memset t, 1.0\n", *lines])


def flat_naive(m: int, n: int, k: int, deep: int) -> str:
    """The naive product as a generator writes it, a line for each instruction."""
    lines = [
        *(".target trn2", f".hbm A f32[{k * 128}, {m * 128}] input"),
        f".hbm B f32[{k * 128}, {n * 512}] input",
        *(f".sbuf a{i} f32[128, 128]\n.sbuf b{i} f32[128, 512]" for i in range(deep)),
        *(f".sem loaded{i}" for i in range(deep)),
        ".psum p f32[128, 512]",
        ".sem used",
    ]
    for i in range(m * n * k):
        row, column, part, at = i // (n * k), i // k % n, i % k, i % deep
        free = f"$used >= {i - deep + 1} " if i >= deep else ""
        rows = f"{part * 128}:{part * 128 + 128}"
        lines += [
            f"@sync DmaCopy a{at}, A[{rows}, {row * 128} : +128] {free}$loaded{at} += 16",
            f"@sync DmaCopy b{at}, B[{rows}, {column * 512} : +512] $loaded{at} += 16",
            f"@tensor LoadStationary a{at} $loaded{at} >= {32 * (i // deep + 1)}",
            f"@tensor MultiplyMoving p, b{at}, accumulate={'true' if part else 'false'} $used++",
        ]
    return "\n".join([*lines, ""])
