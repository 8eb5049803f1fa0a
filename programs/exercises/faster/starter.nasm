; Y = 2 X, eight columns at a time
.target trn2
.hbm   X  f32[128, 512]  input = normal(seed=1)
.hbm   Y  f32[128, 512]  output
.sbuf  x  f32[128, 512]

.for c in 0..64
@sync    DmaCopy       x[:, c*8 : +8], X[:, c*8 : +8]   post loaded[c]
@vector  TensorScalar  x[:, c*8 : +8], x[:, c*8 : +8], op0=multiply, operand0=2   after loaded[c]   post doubled[c]
@sync    DmaCopy       Y[:, c*8 : +8], x[:, c*8 : +8]   after doubled[c]
.end
@sync    .drain
