.include "matmul.nasm"

; mlp(dst, x, w1, b1, w2, add, up, down): gelu(x.T @ w1 * scale1 + b1) @ w2 * scale2 + add, for up to 128 rows.
;   dst    SBUF [S, D2], S <= 128, D2 <= 512
;   x      SBUF [K, STEPS, S]: its columns are the rows of the input, K * STEPS of them features (transpose_tiles makes it)
;   w1     SBUF [K, STEPS, F], F a multiple of 128, of the dtype of x
;   b1     SBUF f32[128, F // 128]: b1[:, f] belongs to the features f*128 to f*128 + 127
;   w2     SBUF [128, F // 128, D2]; the hidden layer is kept in its dtype
;   add    SBUF [S, D2]: what is added to the result, a residual or a bias of every row
;   up     PSUM f32[128, 2, S]. Calls one after the other may share it, and need no wait for it
;   down   PSUM f32[S, D2]. Calls may share it, if `free` says when the one before is done
;   scale1, scale2  what the weights were divided by, as those that are quantised are
;   op     what stands between the products: gelu, gelu_apprx_tanh, silu, relu, …
;   ready  comes after these: x, weights and add are there, dst is free
;   free   comes after these: nobody reads what down held
;   done   posts done when dst is complete
; Tensor makes the hidden tile f + 1 while Scalar is at tile f. Takes F // 128 * S elements of each partition.
; Cost: F // 128 * (STEPS * S + D2) cycles of Tensor in bfloat16.
.macro mlp(dst, x, w1, b1, w2, add, up, down, ready=[], done=[], free=[], op=gelu, scale1=1.0, scale2=1.0)
    .const S = shape(x, 2), F = shape(w1, 2), FT = F // 128, DT = dtype(w2)
    .assert F % 128 == 0, "mlp: the hidden layer is a multiple of 128 wide"
    .assert shape(w2, 0) == 128 and shape(w2, 1) == FT and shape(b1, 1) == FT, "mlp: w2 is [128, F // 128, D2] and b1 [128, F // 128]"
    .sbuf  h  DT[128, FT, S]
    .for f in 0..FT + 1
        .if f < FT
            .view  w = w1[:, :, f*128 : +128]
            .if f < 2
                matmul(up[:, f % 2], w, x, ready, raised[f])
            .else
                matmul(up[:, f % 2], w, x, bent[f - 2], raised[f])
            .end
            @scalar  Activation  h[:, f], up[:, f % 2], op=op, scale=scale1, bias=b1[:, f : +1]    after raised[f]    post bent[f]
        .end
        .if f > 0
            .const g = f - 1
            @tensor  LoadStationary  h[:, g]    after bent[g]
            .if g == 0
                @tensor  MultiplyMoving  down, w2[:, g]                     after free    post summed[g]
            .else
                @tensor  MultiplyMoving  down, w2[:, g], accumulate=true    post summed[g]
            .end
        .end
    .end
    @vector  ScalarTensorTensor  dst, down, add, op0=multiply, operand0=scale2, op1=add    after summed[FT - 1]    post done
.end
