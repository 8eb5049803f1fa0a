; fails: right  (Vector computes the tile of the round before)
.target trn2
.const N = 8, TILES = 4
.hbm   X  f32[N * 128, 1024]  input = iota
.hbm   Y  f32[N * 128, 1024]  output
.for t in 0..TILES
.sbuf  x{t}  f32[128, 1024]  = zeros
.sbuf  y{t}  f32[128, 1024]  = zeros
.end

.for r in 0..N
.const t = r % TILES, s = (r + 1) % TILES
@sync    DmaCopy       x{t}, X[r*128 : +128]   after computed[r - TILES] if r >= TILES   post loaded[r]
@vector  TensorScalar  y{t}, x{t}, op0=multiply, operand0=2, op1=add, operand1=1   after loaded[r], stored[r - 1] if r >= 1   post computed[r]
@scalar  DmaCopy       Y[r*128 : +128], y{s}   after computed[r]                         post stored[r]
.end
@scalar  .drain
