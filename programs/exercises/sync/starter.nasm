; Y = 2 X, chunk by chunk
.target trn2
.const N = 4
.hbm   X     f32[N * 128, 512]  input = iota
.hbm   Y     f32[N * 128, 512]  output
.sbuf  x[N]  f32[128, 512]

.for r in 0..N
@sync    DmaCopy       x[r], X[r*128 : +128]
@vector  TensorScalar  x[r], x[r], op0=multiply, operand0=2
@sync    DmaCopy       Y[r*128 : +128], x[r]
.end
