; fails: read  (square and root wait for each other, which is found before a run)
.target trn2
.hbm   X       f32[128, 1024]  input = random(seed=5)
.hbm   Y       f32[128, 1024]  output
.sbuf  x       f32[128, 1024]
.sbuf  root    f32[128, 1024]
.sbuf  square  f32[128, 1024]
.sbuf  sum     f32[128, 1024]

@sync    DmaCopy       x, X                                                 post loaded
@scalar  Activation    root, x, op=sqrt             after loaded, squared   post rooted
@gpsimd  TensorTensor  square, x, x, op=multiply    after loaded, rooted    post squared
@vector  TensorTensor  sum, root, square, op=add    after rooted, squared   post added
@sync    DmaCopy       Y, sum                       after added
@sync    .drain
