; Z = X + Y in tiles of width W
.target trn2
.const N = 16000, W = 200
.hbm   X     f32[128, N]  input = random(seed=1)
.hbm   Y     f32[128, N]  input = random(seed=2)
.hbm   Z     f32[128, N]  output
.sbuf  x[3]  f32[128, W]
.sbuf  y[3]  f32[128, W]

.for r in 0..N // W
@sync    DmaCopy       x[r % 3], X[:, r*W : +W]
@sync    DmaCopy       y[r % 3], Y[:, r*W : +W]
@vector  TensorTensor  x[r % 3], x[r % 3], y[r % 3], op=add
@scalar  DmaCopy       Z[:, r*W : +W], x[r % 3]
.end
