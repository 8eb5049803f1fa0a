; fails: time  (stores on another queue, and still one tile)
.target trn2
.const N = 8
.hbm   X  f32[N * 128, 1024]  input = iota
.hbm   Y  f32[N * 128, 1024]  output
.sbuf  x  f32[128, 1024]

.for r in 0..N
@sync    DmaCopy       x, X[r*128 : +128]   after stored[r - 1]                                post loaded[r]
@vector  TensorScalar  x, x, op0=multiply, operand0=2, op1=add, operand1=1   after loaded[r]   post computed[r]
@scalar  DmaCopy       Y[r*128 : +128], x   after computed[r]                                  post stored[r]
.end
@scalar  .drain
