; Y = 3 X + 1, in chunks of 128 rows
.target trn2
.const ROWS = 256
.hbm   X  f32[ROWS, 64]  input = iota
.hbm   Y  f32[ROWS, 64]  output
.sbuf  x  f32[128, 64]

@sync    DmaCopy       x, X[0:128]
@vector  TensorScalar  x, x, op0=multiply, operand0=3, op1=add, operand1=1
@sync    DmaCopy       Y[0:128], x
; your part: the other chunks
