; fails: right  (a store that is written before the computation takes what was loaded)
.target trn2
.const N = 4
.hbm   X     f32[N * 128, 512]  input = iota
.hbm   Y     f32[N * 128, 512]  output
.sbuf  x[N]  f32[128, 512]

.for r in 0..N
@sync    DmaCopy       x[r], X[r*128 : +128]
.end
.for r in 0..N
@sync    DmaCopy       Y[r*128 : +128], x[r]
@vector  TensorScalar  x[r], x[r], op0=multiply, operand0=2
.end
