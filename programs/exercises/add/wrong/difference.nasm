; fails: right  (another operator)
.target trn2
.hbm   X  f32[128, 256]  input = normal(seed=1)
.hbm   Y  f32[128, 256]  input = normal(seed=2)
.hbm   Z  f32[128, 256]  output
.sbuf  x  f32[128, 256]
.sbuf  y  f32[128, 256]

@sync    DmaCopy       x, X
@sync    DmaCopy       y, Y
@vector  TensorTensor  x, x, y, op=subtract
@sync    DmaCopy       Z, x
