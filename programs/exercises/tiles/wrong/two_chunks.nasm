; fails: right  (two chunks, whatever ROWS is; with 640 rows the others are not written)
.target trn2
.const ROWS = 256
.hbm   X  f32[ROWS, 64]  input = iota
.hbm   Y  f32[ROWS, 64]  output
.sbuf  x  f32[128, 64]

.for r in 0..min(2, ROWS // 128)
@sync    DmaCopy       x, X[r*128 : +128]
@vector  TensorScalar  x, x, op0=multiply, operand0=3, op1=add, operand1=1
@sync    DmaCopy       Y[r*128 : +128], x
.end
