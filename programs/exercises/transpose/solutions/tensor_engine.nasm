; sixteen tiles through the Tensor engine
.target trn2
.hbm   X       bf16[512, 512]  input = normal(seed=1)
.hbm   Y       bf16[512, 512]  output
.sbuf  x       bf16[128, 4, 512]
.sbuf  y       bf16[128, 4, 512]
.sbuf  unit    bf16[128, 128]
.psum  turned  bf16[128, 4, 512]
@sync    DmaCopy         x, X.reshape(4, 128, 512).permute(1, 0, 2)
@vector  Memset          unit, 1
@gpsimd  AffineSelect    unit, unit, [[-1, 128]], 1, 0.0, cmp_op=equal
.for c in 0..4
.for r in 0..4
@tensor  LoadStationary  x[:, r, c*128 : +128], is_transpose=true
@tensor  MultiplyMoving  turned[:, c, r*128 : +128], unit, is_transpose=true
.end
@vector  TensorCopy      y[:, c], turned[:, c]
.end
@sync    DmaCopy         Y.reshape(4, 128, 512).permute(1, 0, 2), y
.expect  Y == X.T
