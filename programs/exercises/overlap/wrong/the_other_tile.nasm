; fails: right  (Vector computes the tile of the round before)
.target trn2
.const N = 8, TILES = 4
.hbm   X         f32[N * 128, 1024]  input = iota
.hbm   Y         f32[N * 128, 1024]  output
.sbuf  x[TILES]  f32[128, 1024]      = zeros
.sbuf  y[TILES]  f32[128, 1024]      = zeros

.for r in 0..N
@sync    DmaCopy       x[r % TILES], X[r*128 : +128]         after computed[r - TILES]   post loaded[r]
@vector  TensorScalar  y[r % TILES], x[r % TILES], op0=multiply, operand0=2, op1=add, operand1=1   after loaded[r], stored[r - 1]   post computed[r]
@scalar  DmaCopy       Y[r*128 : +128], y[(r + 1) % TILES]   after computed[r]           post stored[r]
.end
@scalar  .drain
