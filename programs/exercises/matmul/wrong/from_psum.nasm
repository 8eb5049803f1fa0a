; fails: read  (all 256 rows at once: a tile has 128 partitions)
.target trn2
.hbm   A    bf16[256, 128]  input = normal(seed=1)
.hbm   B    bf16[256, 512]  input = normal(seed=2)
.hbm   C    f32[128, 512]   output
.sbuf  a    bf16[256, 128]
.sbuf  b    bf16[256, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512]

@sync    DmaCopy         a, A                       post a
@sync    DmaCopy         b, B                       post b
@tensor  LoadStationary  a       after a
@tensor  MultiplyMoving  acc, b  after b            post multiplied
@vector  TensorCopy      c, acc  after multiplied   post copied
@sync    DmaCopy         C, c    after copied
@sync    .drain
