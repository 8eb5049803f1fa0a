; fails: time  (columns 16 at a time)
.target trn2
.hbm   X  f32[128, 512]  input = normal(seed=1)
.hbm   Y  f32[128, 512]  output
.sbuf  x  f32[128, 512]

.for c in 0..32
@sync    DmaCopy       x[:, c*16 : +16], X[:, c*16 : +16]   post loaded[c]
@vector  TensorScalar  x[:, c*16 : +16], x[:, c*16 : +16], op0=multiply, operand0=2   after loaded[c]   post doubled[c]
@sync    DmaCopy       Y[:, c*16 : +16], x[:, c*16 : +16]   after doubled[c]
.end
@sync    .drain
