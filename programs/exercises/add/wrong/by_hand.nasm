; fails: lines  (the rows one half after the other)
.target trn2
.hbm   X  f32[128, 256]  input = normal(seed=1)
.hbm   Y  f32[128, 256]  input = normal(seed=2)
.hbm   Z  f32[128, 256]  output
.sbuf  x  f32[128, 256]
.sbuf  y  f32[128, 256]

@sync    DmaCopy       x[:, 0:128], X[:, 0:128]
@sync    DmaCopy       y[:, 0:128], Y[:, 0:128]
@vector  TensorTensor  x[:, 0:128], x[:, 0:128], y[:, 0:128], op=add
@sync    DmaCopy       Z[:, 0:128], x[:, 0:128]
@sync    DmaCopy       x[:, 128:256], X[:, 128:256]
@sync    DmaCopy       y[:, 128:256], Y[:, 128:256]
@vector  TensorTensor  x[:, 128:256], x[:, 128:256], y[:, 128:256], op=add
@sync    DmaCopy       Z[:, 128:256], x[:, 128:256]
