; the chunks next to each other in one tile: a transfer each way
.target trn2
.const ROWS = 256, N = ROWS // 128
.hbm   X  f32[ROWS, 64]  input = iota
.hbm   Y  f32[ROWS, 64]  output
.sbuf  x  f32[128, N, 64]

@sync    DmaCopy       x, X.reshape(N, 128, 64).permute(1, 0, 2)
@vector  TensorScalar  x, x, op0=multiply, operand0=3, op1=add, operand1=1
@sync    DmaCopy       Y.reshape(N, 128, 64).permute(1, 0, 2), x

.expect  Y == X * 3 + 1
