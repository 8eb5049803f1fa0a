; fails: instructions  (right, with moments)
.target trn2
.hbm   A    bf16[128, 128]  input = normal(seed=1)
.hbm   B    bf16[128, 512]  input = normal(seed=2)
.hbm   C    f32[128, 512]   output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]

@sync    DmaCopy         a, A                             post a
@sync    DmaCopy         b, B                             post b
@tensor  LoadStationary  a             after a, b
@tensor  MultiplyMoving  acc, b                           post multiplied
@vector  TensorCopy      c, acc        after multiplied   post copied
@sync    DmaCopy         C, c          after copied
@sync    .drain
