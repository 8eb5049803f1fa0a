; two chunks in a round, each with a tile of its own
.target trn2
.hbm   X  f32[8192, 64]  input = iota
.hbm   Y  f32[8192, 64]  output
.for i in 0..2
.sbuf  x{i}  f32[128, 64]
.end

.loop r in 0..64 step 2
.for i in 0..2
@sync    DmaCopy       x{i}, X[(r + i)*128 : +128]       after stored[r + i - 2]   post loaded[r + i]
@vector  TensorScalar  x{i}, x{i}, op0=add, operand0=1   after loaded[r + i]       post added[r + i]
@scalar  DmaCopy       Y[(r + i)*128 : +128], x{i}       after added[r + i]        post stored[r + i]
.end
.end
@scalar  .drain

.expect  Y == X + 1
