; fails: right  (y is added before it is loaded: what sync keeps is the order that is written)
.target trn2
.hbm   X  f32[128, 256]  input = normal(seed=1)
.hbm   Y  f32[128, 256]  input = normal(seed=2)
.hbm   Z  f32[128, 256]  output
.sbuf  x  f32[128, 256]
.sbuf  y  f32[128, 256]  = zeros

@sync    DmaCopy       x, X
@vector  TensorTensor  x, x, y, op=add
@sync    DmaCopy       y, Y
@sync    DmaCopy       Z, x
