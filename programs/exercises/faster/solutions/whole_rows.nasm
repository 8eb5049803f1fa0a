; whole rows, once
.target trn2
.hbm   X  f32[128, 512]  input = normal(seed=1)
.hbm   Y  f32[128, 512]  output
.sbuf  x  f32[128, 512]

@sync    DmaCopy       x, X   post loaded
@vector  TensorScalar  x, x, op0=multiply, operand0=2   after loaded   post doubled
@sync    DmaCopy       Y, x   after doubled
@sync    .drain

.expect  Y == X * 2
