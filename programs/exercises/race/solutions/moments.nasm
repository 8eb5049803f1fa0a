; two engines at once, and a sum that comes after both
.target trn2
.hbm   X       f32[128, 1024]  input = random(seed=5)
.hbm   Y       f32[128, 1024]  output
.sbuf  x       f32[128, 1024]
.sbuf  root    f32[128, 1024]
.sbuf  square  f32[128, 1024]
.sbuf  sum     f32[128, 1024]

@sync    DmaCopy       x, X                                                 post loaded
@scalar  Activation    root, x, op=sqrt             after loaded            post rooted
@gpsimd  TensorTensor  square, x, x, op=multiply    after loaded            post squared
@vector  TensorTensor  sum, root, square, op=add    after rooted, squared   post added
@sync    DmaCopy       Y, sum                       after added
@sync    .drain

.expect  Y ~ sqrt(X) + X * X
