; Normalisation along the free axis, one row per partition. BatchNormStats takes mean and variance of up to 512
; columns at a time, BatchNormAggregate those of all; the root of one number per row is GpSimd's, which has `power`,
; and Scalar stays free. Statistics are float32.

; layernorm(dst, src, gain, shift): (src - mean) / sqrt(variance + eps) * gain + shift.
;   dst    SBUF [P, N], of any floating dtype; may be src. (src - mean) * gain passes through it
;   src    SBUF or PSUM [P, N]
;   gain, shift  SBUF [P, N], every row alike: see load_row of tiles.nasm
;   ready  comes after these: src, gain and shift are there, dst is free
;   done   posts done when dst is complete
; Takes 24 bytes per 512 columns, and 12, of each partition, which calls share.
; Cost: about 3 N cycles of Vector, and 26 for each 512 columns.
.macro layernorm(dst, src, gain, shift, ready=[], done=[], eps=1e-5)
    .scope
    .const P = shape(src, 0)
    .assert shape(dst, 1) == shape(src, 1) and shape(gain, 1) == shape(src, 1) and shape(shift, 1) == shape(src, 1), "layernorm: dst, gain and shift are as wide as src"
    .sbuf  both   f32[P, 2]
    .sbuf  scale  f32[P, 1]
    mean_and_variance(both, src, ready)
    @vector  TensorScalar        scale, both[:, 1:2], op0=add, operand0=eps                                post varied
    @gpsimd  TensorScalar        scale, scale, op0=power, operand0=-0.5                    after varied    post rooted
    @vector  ScalarTensorTensor  dst, src, gain, op0=subtract, operand0=both[:, 0:1], op1=multiply
    @vector  ScalarTensorTensor  dst, dst, shift, op0=multiply, operand0=scale, op1=add    after rooted    post done
    .end
.end

; rmsnorm(dst, src, gain): src / sqrt(mean of src ** 2 + eps) * gain.
;   as layernorm, without shift. The mean of the squares is variance + mean ** 2.
; Takes 24 bytes per 512 columns, and 16, of each partition, which calls share.
; Cost: about 2 N cycles of Vector, and 26 for each 512 columns.
.macro rmsnorm(dst, src, gain, ready=[], done=[], eps=1e-6)
    .scope
    .const P = shape(src, 0)
    .assert shape(dst, 1) == shape(src, 1) and shape(gain, 1) == shape(src, 1), "rmsnorm: dst and gain are as wide as src"
    .sbuf  both    f32[P, 2]
    .sbuf  square  f32[P, 1]
    .sbuf  scale   f32[P, 1]
    mean_and_variance(both, src, ready)
    @vector  ScalarTensorTensor  square, both[:, 0:1], both[:, 1:2], op0=multiply, operand0=both[:, 0:1], op1=add
    @vector  TensorScalar        scale, square, op0=add, operand0=eps                                           post squared
    @gpsimd  TensorScalar        scale, scale, op0=power, operand0=-0.5                        after squared    post rooted
    @vector  ScalarTensorTensor  dst, src, gain, op0=multiply, operand0=scale, op1=multiply    after rooted     post done
    .end
.end

; mean_and_variance(both, src): both[:, 0] = the mean of each row, both[:, 1] = its variance, that of a population.
;   both   SBUF f32[P, 2]
;   src    SBUF or PSUM [P, N]
; Cost: N cycles of Vector, and 26 for each 512 columns.
.macro mean_and_variance(both, src, ready=[], done=[])
    .scope
    .const P = shape(src, 0), N = shape(src, 1), CHUNKS = ceil_div(N, 512)
    .sbuf  stats  f32[P, CHUNKS * 6]
    .for c in 0..CHUNKS
        .const wide = min(512, N - c * 512)
        @vector  BatchNormStats  stats[:, c*6 : +6], src[:, c*512 : +wide]    after ready if c == 0
    .end
    @vector  BatchNormAggregate  both, stats    post done
    .end
.end
