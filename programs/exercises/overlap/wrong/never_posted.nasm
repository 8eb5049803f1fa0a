; fails: read  (nothing posts stored)
.target trn2
.const N = 8, TILES = 4
.hbm   X         f32[N * 128, 1024]  input = iota
.hbm   Y         f32[N * 128, 1024]  output
.sbuf  x[TILES]  f32[128, 1024]

.for r in 0..N
@sync    DmaCopy       x[r % TILES], X[r*128 : +128]   after stored[r - TILES]                 post loaded[r]
@vector  TensorScalar  x[r % TILES], x[r % TILES], op0=multiply, operand0=2, op1=add, operand1=1   after loaded[r]   post computed[r]
@scalar  DmaCopy       Y[r*128 : +128], x[r % TILES]   after computed[r]
.end
@scalar  .drain
