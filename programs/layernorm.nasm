; Y = (X - mean) / sqrt(variance + EPS) * gain + shift, along the free axis, one row per partition
; Shows: sums along a row on two engines, one value per partition as an operand, rows that are
; broadcast by a DMA, and moments by which Vector and Scalar pass work back and forth.
.target trn1
.const P = 128, N = 512, EPS = 1e-5

.hbm   X      f32[P, N]  input = normal(seed=4)
.hbm   GAIN   f32[1, N]  input = random(seed=5)
.hbm   SHIFT  f32[1, N]  input = random(seed=6)
.hbm   Y      f32[P, N]  output

.sbuf  x      f32[P, N]
.sbuf  sq     f32[P, N]
.sbuf  gain   f32[P, N]
.sbuf  shift  f32[P, N]
.sbuf  nsum   f32[P, 1]          ; minus the sum of a row,
.sbuf  nmean  f32[P, 1]          ; and minus its mean
.sbuf  total  f32[P, 1]          ; the sum of its squared deviations,
.sbuf  std    f32[P, 1]          ; and what they are divided by
.sbuf  scale  f32[P, 1]          ; or multiplied with
.sbuf  eps    f32[P, 1]

@sync
    DmaCopy       x, X                                     post loaded
    DmaCopy       gain, GAIN.broadcast(P, N)               post gains    ; one row, read P times
    DmaCopy       shift, SHIFT.broadcast(P, N)             post shifts

@vector
    Memset        eps, EPS                                 ; on trn1 a bias is a tile, not a number
    TensorReduce  nsum, x, op=add, axis=1, negate=true     after loaded
    TensorScalar  nmean, nsum, op0=multiply, operand0=1/N  post centred

; The squared deviations go into the lane's accumulators as they are made; reduce_res reads them.
; Then std = sqrt(total * 1/N + eps): scale and bias come before the function.
@scalar
    Activation    sq, x, op=square, bias=nmean, reduce_op=add, reduce_res=total, reduce_cmd=reset_reduce  after centred
    Activation    std, total, op=sqrt, scale=1/N, bias=eps  post rooted

@vector
    Reciprocal    scale, std                               after rooted
    TensorScalar  x, x, op0=add, operand0=nmean, op1=multiply, operand1=scale
    TensorTensor  x, x, gain, op=multiply                  after gains
    TensorTensor  x, x, shift, op=add                      after shifts   post done

@sync
    DmaCopy       Y, x                                     after done
    .drain

; Worked out in float64 after the run; float32 keeps some 7 digits.
.expect  Y ~ (X - mean(X, axis=1).reshape(P, 1)) / sqrt(
             mean(X**2, axis=1).reshape(P, 1) - mean(X, axis=1).reshape(P, 1)**2 + EPS
         ) * GAIN + SHIFT   rtol=1e-5 atol=1e-5
