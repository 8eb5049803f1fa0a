; attention(dst, q, k, v, unit, …): softmax(scale * q.T @ k) @ v for one head and up to 128 queries, with an
; online softmax: keys come tile by tile, and no more than two tiles of scores exist at a time.
;   dst     SBUF [S, D], S queries; S and D <= 128
;   q       SBUF [D, S]: a query in each column
;   k       SBUF [D, T * TK], of the dtype of q: a key in each column
;   v       SBUF [TK, T, D], TK <= 128: value t * TK + i in v[i, t]. Powers have its dtype
;   unit    SBUF [S, S] or larger, an identity of the dtype of v (transpose.nasm)
;   scores  PSUM f32[S, 2, TK]
;   turned  PSUM [TK, S] of the dtype of v
;   sums    PSUM f32[S, D]
;   scale   above 0
;   ready   comes after these: q, k, v and unit are there, dst is free
;   done    posts done when dst is complete
; Calls one after the other may share scores, turned and sums, and need no wait for it: what the
; next writes on Tensor comes after what the one before has read. Takes 2 * TK + S elements of the dtype of
; v and 4 * D + 24 * T + 4 bytes of each partition, which calls share.
; Cost per tile of keys in cycles: Tensor TK + max(64, S) + D in bfloat16, Scalar TK + 64, Vector TK + S + D + 128.
.macro attention(dst, q, k, v, unit, scores, turned, sums, scale, ready=[], done=[])
    .scope
    .const S = shape(q, 1), D = shape(q, 0), TK = shape(v, 0), T = shape(v, 1), DT = dtype(v)
    .assert S <= 128 and D <= 128 and TK <= 128, "attention: at most 128 queries, 128 features, and 128 keys in a tile"
    .assert shape(k, 0) == D and shape(k, 1) == T * TK and shape(v, 2) == D, "attention: k is [D, T * TK] for q [D, S] and v [TK, T, D]"
    .assert shape(dst, 0) == S and shape(dst, 1) == D, "attention: dst is [S, D] for q [D, S]"
    .assert shape(scores, 0) == S and shape(scores, 1) == 2 and shape(scores, 2) == TK, "attention: scores is [S, 2, TK]"
    .assert scale > 0, "attention: scale is above 0"
    .sbuf  p      DT[S, 2, TK]      ; powers of two tiles of keys,
    .sbuf  pt     DT[TK, S]         ; and of one transposed
    .sbuf  acc    f32[S, D]         ; powers times values so far, relative to the highest score so far
    .sbuf  low    f32[S, T]         ; minus the highest score of tile t,
    .sbuf  lows   f32[S, T]         ; and of all tiles so far, times scale
    .sbuf  part   f32[S, T]         ; the sum of the powers of tile t,
    .sbuf  whole  f32[S, T]         ; and of all so far
    .sbuf  fade   f32[S, T]         ; what former sums are worth when a higher score comes
    .sbuf  share  f32[S, 1]
    .for n in 0..T + 1
        ; Tensor makes the scores of tile t before it goes on with the tile before: Scalar is busy meanwhile
        .if n < T
            .const t = n, i = n % 2
            @tensor  LoadStationary  q                                                            after ready if t == 0
            @tensor  MultiplyMoving  scores[:, i], k[:, t*TK : +TK]                               post scored[t]
            @vector  TensorReduce    low[:, t : +1], scores[:, i], op=maximum, axis=1, negate=true    after scored[t]
            .if t == 0
                @vector  TensorScalar  lows[:, 0:1], low[:, 0:1], op0=multiply, operand0=scale    post found[0]
            .else
                @vector  TensorScalar  lows[:, t : +1], low[:, t : +1], op0=multiply, operand0=scale, op1=minimum, operand1=lows[:, t - 1 : +1]    post found[t]
            .end
            @scalar  Activation  p[:, i], scores[:, i], op=exp, scale=scale, bias=lows[:, t : +1], reduce_op=add, reduce_res=part[:, t : +1], reduce_cmd=reset_reduce    after found[t]    post raised[t]
            .if t > 0
                @scalar  Activation  fade[:, t : +1], lows[:, t - 1 : +1], op=exp, scale=-1.0, bias=lows[:, t : +1]    post faded[t]
            .end
        .end
        .if n > 0
            .const o = n - 1, j = (n - 1) % 2
            @tensor  LoadStationary  p[:, j], is_transpose=true    after raised[o]
            @tensor  MultiplyMoving  turned, unit[0:S, 0:S], is_transpose=true        post passed[o]
            @vector  TensorCopy      pt, turned                    after passed[o]    post copied[o]
            @tensor  LoadStationary  pt                            after copied[o]
            @tensor  MultiplyMoving  sums, v[:, o]                                    post summed[o]
            .if o == 0
                @vector  TensorCopy  whole[:, 0:1], part[:, 0:1]
                @vector  TensorCopy  acc, sums                    after summed[o]
            .else
                @vector  ScalarTensorTensor  whole[:, o : +1], whole[:, o - 1 : +1], part[:, o : +1], op0=multiply, operand0=fade[:, o : +1], op1=add    after faded[o]
                @vector  ScalarTensorTensor  acc, acc, sums, op0=multiply, operand0=fade[:, o : +1], op1=add    after summed[o]
            .end
        .end
    .end
    @vector  Reciprocal    share, whole[:, T - 1 : +1]
    @vector  TensorScalar  dst, acc, op0=multiply, operand0=share    post done
    .end
.end
