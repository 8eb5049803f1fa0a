; fails: right  (3 (X + 1))
.target trn2
.const ROWS = 256
.hbm   X  f32[ROWS, 64]  input = iota
.hbm   Y  f32[ROWS, 64]  output
.sbuf  x  f32[128, 64]

.for r in 0..ROWS // 128
@sync    DmaCopy       x, X[r*128 : +128]
@vector  TensorScalar  x, x, op0=add, operand0=1, op1=multiply, operand1=3
@sync    DmaCopy       Y[r*128 : +128], x
.end
