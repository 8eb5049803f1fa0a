; two chunks in a round, each with a tile of its own
.target trn2
.hbm   X     f32[8192, 64]  input = iota
.hbm   Y     f32[8192, 64]  output
.sbuf  x[2]  f32[128, 64]

.loop r in 0..64 buffers=2
@sync    DmaCopy       x[r % 2], X[r*128 : +128]                 after stored[r - 2]   post loaded[r]
@vector  TensorScalar  x[r % 2], x[r % 2], op0=add, operand0=1   after loaded[r]       post added[r]
@scalar  DmaCopy       Y[r*128 : +128], x[r % 2]                 after added[r]        post stored[r]
.end
@scalar  .drain

.expect  Y == X + 1
