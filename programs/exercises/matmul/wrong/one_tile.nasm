; fails: time  (one pair of tiles for both halves: the second load waits for the first product)
.target trn2
.hbm   A    bf16[256, 128]  input = normal(seed=1)
.hbm   B    bf16[256, 512]  input = normal(seed=2)
.hbm   C    f32[128, 512]   output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]

.for k in 0..2
@sync    DmaCopy         a, A[k*128 : +128]            after multiplied[k - 1] if k > 0   post a[k]
@sync    DmaCopy         b, B[k*128 : +128]                                               post b[k]
@tensor  LoadStationary  a                             after a[k]
@tensor  MultiplyMoving  acc, b, accumulate=(k > 0)    after b[k]                         post multiplied[k]
.end
@vector  TensorCopy      c, acc                        after multiplied[1]   post copied
@sync    DmaCopy         C, c                          after copied
@sync    .drain
