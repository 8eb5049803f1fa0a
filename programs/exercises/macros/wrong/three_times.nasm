; fails: lines  (the lines of each tensor)
.target trn2
.for n in 0..3
.hbm   X{n}  f32[128, 256]  input = normal(seed=n + 1)
.hbm   Y{n}  f32[128, 256]  output
.sbuf  x{n}  f32[128, 256]
.sbuf  s{n}  f32[128, 256]
.sbuf  t{n}  f32[128, 1]
.end

@sync    DmaCopy       x0, X0                                        post loaded0
@vector  TensorTensor  s0, x0, x0, op=multiply       after loaded0
@vector  TensorReduce  t0, s0, op=add, axis=1                        post summed0
@scalar  Activation    t0, t0, op=sqrt               after summed0   post rooted0
@vector  Reciprocal    t0, t0                        after rooted0
@vector  TensorScalar  x0, x0, op0=multiply, operand0=t0             post made0
@sync    DmaCopy       Y0, x0                        after made0

@sync    DmaCopy       x1, X1                                        post loaded1
@vector  TensorTensor  s1, x1, x1, op=multiply       after loaded1
@vector  TensorReduce  t1, s1, op=add, axis=1                        post summed1
@scalar  Activation    t1, t1, op=sqrt               after summed1   post rooted1
@vector  Reciprocal    t1, t1                        after rooted1
@vector  TensorScalar  x1, x1, op0=multiply, operand0=t1             post made1
@sync    DmaCopy       Y1, x1                        after made1

@sync    DmaCopy       x2, X2                                        post loaded2
@vector  TensorTensor  s2, x2, x2, op=multiply       after loaded2
@vector  TensorReduce  t2, s2, op=add, axis=1                        post summed2
@scalar  Activation    t2, t2, op=sqrt               after summed2   post rooted2
@vector  Reciprocal    t2, t2                        after rooted2
@vector  TensorScalar  x2, x2, op0=multiply, operand0=t2             post made2
@sync    DmaCopy       Y2, x2                        after made2
@sync    .drain
