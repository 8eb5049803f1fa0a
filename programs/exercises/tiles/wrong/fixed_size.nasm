; fails: read  (256 rows are written into the text; ROWS is not there to be set)
.target trn2
.hbm   X  f32[256, 64]  input = iota
.hbm   Y  f32[256, 64]  output
.sbuf  x  f32[128, 64]

.for r in 0..2
@sync    DmaCopy       x, X[r*128 : +128]
@vector  TensorScalar  x, x, op0=multiply, operand0=3, op1=add, operand1=1
@sync    DmaCopy       Y[r*128 : +128], x
.end
