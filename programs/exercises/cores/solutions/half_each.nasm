; each core has half of the rows
.target trn2
.hbm   X  f32[256, 4096]  input = iota
.hbm   Y  f32[256, 4096]  output

.for c in 0..2
.core  c
.sbuf  x{c}  f32[128, 4096]
@sync    DmaCopy       x{c}, X[c*128 : +128]   post loaded[c]
@vector  TensorScalar  x{c}, x{c}, op0=multiply, operand0=0.5   after loaded[c]   post halved[c]
@sync    DmaCopy       Y[c*128 : +128], x{c}                    after halved[c]
@sync    .drain
.end

.expect  Y == X * 0.5
