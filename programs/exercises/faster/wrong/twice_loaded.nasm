; fails: bytes  (X is loaded into two tiles)
.target trn2
.hbm   X  f32[128, 512]  input = normal(seed=1)
.hbm   Y  f32[128, 512]  output
.sbuf  x  f32[128, 512]
.sbuf  z  f32[128, 512]

@sync    DmaCopy       x, X   post loaded
@sync    DmaCopy       z, X   post again
@vector  TensorScalar  x, z, op0=multiply, operand0=2   after loaded, again   post doubled
@sync    DmaCopy       Y, x   after doubled
@sync    .drain
