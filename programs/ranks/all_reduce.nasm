; A product over 4 ranks: each has some rows of A and B, computes the product of these, and an
; all_reduce gives the sum of all products to every rank. Here all ranks have the same rows.
.target trn2
.ranks 4

.hbm   A     bf16[128, 128]  input = random(seed=1)
.hbm   B     bf16[128, 512]  input = random(seed=2)
.hbm   part  f32[128, 512]
.hbm   C     f32[128, 512]   output

.sbuf  a     bf16[128, 128]
.sbuf  b     bf16[128, 512]
.sbuf  c     f32[128, 512]
.psum  acc   f32[128, 512]

@sync    DmaCopy         a, A                                            post left
@sync    DmaCopy         b, B                                            post right
@tensor  LoadStationary  a                            after left
@tensor  MultiplyMoving  acc, b                       after right        post multiplied
@vector  TensorCopy      c, acc                       after multiplied   post copied
@sync    DmaCopy         part, c                      after copied       post stored
@cc      Collective      C, part, all_reduce, op=add  after stored

.expect  C ~ ranks * (A.T @ B)   rtol=1e-2
