; fails: right  (divided by the sum of squares)
.target trn2
.macro norm(dst, src, ready, done)
.sbuf  square  f32[128, 256]
.sbuf  total   f32[128, 1]
@vector  TensorTensor  square, src, src, op=multiply   after ready
@vector  TensorReduce  total, square, op=add, axis=1                  post summed
@scalar  Activation    total, total, op=copy           after summed   post rooted
@vector  Reciprocal    total, total                    after rooted
@vector  TensorScalar  dst, src, op0=multiply, operand0=total         post done
.end
.for n in 0..3
.hbm   X{n}  f32[128, 256]  input = normal(seed=n + 1)
.hbm   Y{n}  f32[128, 256]  output
.sbuf  x{n}  f32[128, 256]
@sync    DmaCopy       x{n}, X{n}   post loaded[n]
norm(x{n}, x{n}, loaded[n], made[n])
.end
.for n in 0..3
@sync    DmaCopy       Y{n}, x{n}   after made[n]
.end
@sync    .drain
