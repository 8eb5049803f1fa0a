; Y = sqrt(X) + X * X, with some of its order missing
.target trn2
.hbm   X       f32[128, 1024]  input = random(seed=5)
.hbm   Y       f32[128, 1024]  output
.sbuf  x       f32[128, 1024]
.sbuf  root    f32[128, 1024]
.sbuf  square  f32[128, 1024]
.sbuf  sum     f32[128, 1024]

@sync    DmaCopy       x, X
@scalar  Activation    root, x, op=sqrt
@gpsimd  TensorTensor  square, x, x, op=multiply
@vector  TensorTensor  sum, root, square, op=add   post added
@sync    DmaCopy       Y, sum                      after added
@sync    .drain
