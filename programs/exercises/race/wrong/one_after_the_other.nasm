; fails: time  (the root waits for the square, which it does not need)
.target trn2
.hbm   X       f32[128, 1024]  input = random(seed=5)
.hbm   Y       f32[128, 1024]  output
.sbuf  x       f32[128, 1024]
.sbuf  root    f32[128, 1024]
.sbuf  square  f32[128, 1024]
.sbuf  sum     f32[128, 1024]

@sync    DmaCopy       x, X                                        post loaded
@gpsimd  TensorTensor  square, x, x, op=multiply    after loaded   post squared
@scalar  Activation    root, x, op=sqrt             after squared  post rooted
@vector  TensorTensor  sum, root, square, op=add    after rooted   post added
@sync    DmaCopy       Y, sum                       after added
@sync    .drain
