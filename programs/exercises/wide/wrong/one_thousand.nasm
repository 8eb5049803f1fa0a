; fails: time  (tiles of 1000 columns: twice as many transfers)
.target trn2
.const N = 16000, W = 1000
.hbm   X  f32[128, N]  input = random(seed=1)
.hbm   Y  f32[128, N]  input = random(seed=2)
.hbm   Z  f32[128, N]  output
.for t in 0..3
.sbuf  x{t}  f32[128, W]
.sbuf  y{t}  f32[128, W]
.end

.for r in 0..N // W
.const t = r % 3
@sync    DmaCopy       x{t}, X[:, r*W : +W]
@sync    DmaCopy       y{t}, Y[:, r*W : +W]
@vector  TensorTensor  x{t}, x{t}, y{t}, op=add
@scalar  DmaCopy       Z[:, r*W : +W], x{t}
.end
