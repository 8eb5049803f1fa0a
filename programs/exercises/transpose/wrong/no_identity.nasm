; fails: right  (moved through ones, each number is the sum of a column)
.target trn2
.hbm   X       bf16[512, 512]  input = normal(seed=1)
.hbm   Y       bf16[512, 512]  output
.sbuf  x       bf16[128, 4, 512]
.sbuf  y       bf16[128, 4, 512]
.sbuf  unit    bf16[128, 128]
.psum  turned  f32[128, 4, 512]
@sync    DmaCopy         x, X.reshape(4, 128, 512).permute(1, 0, 2)
@vector  Memset          unit, 1
.for c in 0..4
.for r in 0..4
@tensor  LoadStationary  x[:, r, c*128 : +128]
@tensor  MultiplyMoving  turned[:, c, r*128 : +128], unit
.end
@vector  TensorCopy      y[:, c], turned[:, c]
.end
@sync    DmaCopy         Y.reshape(4, 128, 512).permute(1, 0, 2), y
