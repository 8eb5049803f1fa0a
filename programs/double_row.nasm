; C[128,512] = A.T @ B with K = 256 in one matmul: fp8, two rows of the contraction in each partition
.target trn2
.const P = 128, M = 128, N = 512

.hbm   A    e4m3[2 * P, M]  input = random(seed=1)
.hbm   B    e5m2[2 * P, N]  input = random(seed=2)
.hbm   C    f32[M, N]       output
.sbuf  a    e4m3[P, 2, M]
.sbuf  b    e5m2[P, 2, N]
.sbuf  c    f32[M, N]
.psum  acc  f32[M, N]

.for half in 0..2
@sync    DmaCopy         a[:, half], A[half*P : +P]                   post a[half]
@sync    DmaCopy         b[:, half], B[half*P : +P]                   post b[half]
.end
@tensor  LoadStationary  a, perf_mode=double_row           after a[0], a[1]
@tensor  MultiplyMoving  acc, b, perf_mode=double_row      after b[0], b[1]   post multiplied
@vector  TensorCopy      c, acc                            after multiplied   post copied
@sync    DmaCopy         C, c                              after copied
@sync    .drain

.expect  C ~ A.T @ B   rtol=1e-5
