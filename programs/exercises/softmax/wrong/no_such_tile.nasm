; fails: read (there is no tile y)
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
@scalar  Activation    e, x, op=exp, bias=nmax, reduce_op=add, reduce_res=total, reduce_cmd=reset_reduce  after highest  post raised
@vector  Reciprocal    scale, total                               after raised
@vector  TensorScalar  y, e, op0=multiply, operand0=scale                        post divided
@sync    DmaCopy       Y, x                                       after divided
@sync    .drain
