; fails: time (the sum is a pass of its own)
.target trn1
.hbm   X      f32[128, 512]  input = normal(seed=3)
.hbm   Y      f32[128, 512]  output
.sbuf  x      f32[128, 512]
.sbuf  e      f32[128, 512]
.sbuf  nmax   f32[128, 1]
.sbuf  total  f32[128, 1]
.sbuf  scale  f32[128, 1]

@sync    DmaCopy       x, X                                                      post loaded
@vector  TensorReduce  nmax, x, op=maximum, axis=1, negate=true   after loaded   post highest
@scalar  Activation    e, x, op=exp, bias=nmax                    after highest  post raised
@vector  TensorReduce  total, e, op=add, axis=1                   after raised
@vector  Reciprocal    scale, total
@vector  TensorScalar  x, e, op0=multiply, operand0=scale                        post divided
@sync    DmaCopy       Y, x                                       after divided
@sync    .drain
