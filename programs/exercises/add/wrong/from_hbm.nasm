; fails: read  (engines compute on chip, not in HBM)
.target trn2
.hbm   X  f32[128, 256]  input = normal(seed=1)
.hbm   Y  f32[128, 256]  input = normal(seed=2)
.hbm   Z  f32[128, 256]  output

@vector  TensorTensor  Z, X, Y, op=add
