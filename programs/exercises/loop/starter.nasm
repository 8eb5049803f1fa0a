; Y = X + 1, as copies of the same lines
.target trn2
.hbm   X  f32[8192, 64]  input = iota
.hbm   Y  f32[8192, 64]  output
.sbuf  x  f32[128, 64]

.for r in 0..64
@sync    DmaCopy       x, X[r*128 : +128]          after stored[r - 1]             post loaded[r]
@vector  TensorScalar  x, x, op0=add, operand0=1   after loaded[r]                 post added[r]
@scalar  DmaCopy       Y[r*128 : +128], x          after added[r]                  post stored[r]
.end
@scalar  .drain
