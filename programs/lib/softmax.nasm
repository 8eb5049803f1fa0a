; softmax(dst, src): exp(scale * src) / its sum along the free axis, one row per partition.
;   dst    SBUF or PSUM [P, N]; holds the powers on the way, so the dtype that it has is that of these
;   src    SBUF or PSUM [P, N], of any floating dtype; may be dst
;   scale  above 0
;   ready  comes after these: src is there, dst is free
;   done   posts done when dst is complete
; The highest of each row is subtracted first, so no power overflows; sums are float32. Takes 12 bytes of each partition, which calls share.
; Cost: about 2 N cycles of Vector and N of Scalar, one after the other; rows of several calls overlap.
.macro softmax(dst, src, ready=[], done=[], scale=1.0)
    .scope
    .const P = shape(src, 0)
    .assert shape(dst, 0) == P and shape(dst, 1) == shape(src, 1), "softmax: dst and src are both [P, N]"
    .assert scale > 0, "softmax: scale is above 0"
    .sbuf  lowest  f32[P, 1]        ; minus the highest, times scale
    .sbuf  total   f32[P, 1]
    .sbuf  share   f32[P, 1]
    @vector  TensorReduce  lowest, src, op=maximum, axis=1, negate=true    after ready
    @vector  TensorScalar  lowest, lowest, op0=multiply, operand0=scale    post found
    @scalar  Activation    dst, src, op=exp, scale=scale, bias=lowest, reduce_op=add, reduce_res=total, reduce_cmd=reset_reduce    after found    post raised
    @vector  Reciprocal    share, total                                    after raised
    @vector  TensorScalar  dst, dst, op0=multiply, operand0=share          post done
    .end
.end
