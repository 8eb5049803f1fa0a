; each row of X0, X1 and X2 divided by its length; this does it for X0 alone
.target trn2
.for n in 0..3
.hbm   X{n}  f32[128, 256]  input = normal(seed=n + 1)
.hbm   Y{n}  f32[128, 256]  output
.end
.sbuf  x       f32[128, 256]
.sbuf  square  f32[128, 256]
.sbuf  total   f32[128, 1]

@sync    DmaCopy       x, X0                                         post loaded
@vector  TensorTensor  square, x, x, op=multiply      after loaded
@vector  TensorReduce  total, square, op=add, axis=1                 post summed
@scalar  Activation    total, total, op=sqrt          after summed   post rooted
@vector  Reciprocal    total, total                   after rooted
@vector  TensorScalar  x, x, op0=multiply, operand0=total            post made
@sync    DmaCopy       Y0, x                          after made
@sync    .drain
