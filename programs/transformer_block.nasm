; One block of a transformer, made of programs/lib/: for rows X[S, D],
;   A = X + concat over heads of (softmax(q @ k.T / sqrt(DH)) @ v) @ WO,   q, k, v = rmsnorm(X) @ (WQ, WK, WV)
;   Y = A + gelu(rmsnorm(A) @ W1 + B1) @ W2
; Other sizes run too: neuron-nasm run programs/transformer_block.nasm -D S=512 -D H=4
;
; A matmul sums over partitions, so each product wants its left side transposed: rows are normalised with
; rows on the partitions, then turned by Tensor, 128 columns at a time. What a product makes comes out with rows on the
; partitions if the turned tile is the stationary side (values, the projection out, the MLP), and turned if it is
; the moving one (queries and keys, of which attention sums over the features).
;
; Activations and weights are bfloat16, sums, statistics and the residual stream float32. Weights are as a
; quantiser leaves them, of variance 1: what they were divided by is multiplied in where a product leaves PSUM.
.target trn1
.include "lib/tiles.nasm"
.include "lib/transpose.nasm"
.include "lib/matmul.nasm"
.include "lib/norms.nasm"
.include "lib/attention.nasm"
.include "lib/mlp.nasm"
.const S = 256, D = 128, H = 2, F = 512
.const P = 128, R = S // P, KT = D // P, FT = F // P, DH = D // H
.const IN_D = D ** -0.5, IN_F = F ** -0.5
.assert S % P == 0 and S <= 512, "S must be a multiple of 128, and at most 512, the columns of a PSUM bank"
.assert D % P == 0 and D <= 512, "D must be a multiple of 128, and at most 512, the columns of a PSUM bank"
.assert F % P == 0, "F must be a multiple of 128"
.assert D % H == 0 and DH <= P, "a head must have at most 128 of the features"

.hbm   X      f32[S, D]   input = normal(seed=1)
.hbm   GAINS  f32[2, D]   input = random(seed=2)
.hbm   WQ     bf16[D, D]  input = normal(seed=3)
.hbm   WK     bf16[D, D]  input = normal(seed=4)
.hbm   WV     bf16[D, D]  input = normal(seed=5)
.hbm   WO     bf16[D, D]  input = normal(seed=6)
.hbm   W1     bf16[D, F]  input = normal(seed=7)
.hbm   B1     f32[FT, P]  input = normal(seed=8)
.hbm   W2     bf16[F, D]  input = normal(seed=9)
.hbm   Y      f32[S, D]   output

; A product that leaves PSUM times a factor. acc has two banks: the n-th product takes one, and comes after the n-2nd.
.macro project(dst, acc, a, b, n, ready, out, eng=vector)
    .const wide = shape(b, 2)
    matmul(acc[0:shape(a, 2), n % 2, 0:wide], a, b, [ready, out[n - 2] if n >= 2 else []], summed)
    .if eng == "scalar"
        @scalar  Activation    dst, acc[0:shape(a, 2), n % 2, 0:wide], op=copy, scale=IN_D               after summed    post out[n]
    .else
        @eng     TensorScalar  dst, acc[0:shape(a, 2), n % 2, 0:wide], op0=multiply, operand0=IN_D    after summed    post out[n]
    .end
.end

; A weight [K, N] of HBM as steps of 128 partitions, in SBUF.
.macro weight(tile, W, eng, queue, done)
    .const K = shape(W, 0), N = shape(W, 1)
    @eng  DmaCopy  tile, W.reshape(K // P, P, N).permute(1, 0, 2), queue=queue    post done
.end

; ------------------------------------------------------------------------------ what comes in
.sbuf  x      f32[P, R, D]
.sbuf  gain1  f32[P, D]
.sbuf  gain2  f32[P, D]
.sbuf  wq     bf16[P, KT, D]
.sbuf  wk     bf16[P, KT, D]
.sbuf  wv     bf16[P, KT, D]
.sbuf  wo     bf16[P, KT, D]
.sbuf  w1     bf16[P, KT, F]
.sbuf  b1     f32[P, FT]
.sbuf  w2     bf16[P, FT, D]
.sbuf  unit   bf16[P, P]
load_tiles(x, X.reshape(R, P, D), x_in, [])
load_row(gain1, GAINS[0:1], gain1_in)
load_row(gain2, GAINS[1:2], gain2_in)
weight(wq, WQ, @scalar, 1, wq_in)
weight(wk, WK, @scalar, 1, wk_in)
weight(wv, WV, @scalar, 1, wv_in)
weight(wo, WO, @sync, 2, wo_in)
weight(w1, W1, @sync, 2, w1_in)
weight(w2, W2, @sync, 3, w2_in)
@sync  DmaCopy  b1, B1.T, queue=3    post b1_in
identity(unit, same)

; ------------------------------------------------------------------------------ rows, normalised and turned
.sbuf  rows         bf16[P, R, D]
.sbuf  turned_rows  bf16[P, KT, S]
.psum  turned       bf16[P, 2, P]
.for r in 0..R
    rmsnorm(rows[:, r], x[:, r], gain1, [x_in[r], gain1_in], normed[r])
    transpose_tiles(turned_rows[:, :, r*P : +P], rows[:, r], unit, turned, [normed[r], same], done=flipped[r], trail=flips, at=r*KT)
.end

; ------------------------------------------------------------------------------ queries, keys, values
.sbuf  q    bf16[DH, H, S]
.sbuf  k    bf16[DH, H, S]
.sbuf  v    bf16[P, R, D]
.psum  acc  f32[P, 2, 512]
.for h in 0..H
    project(q[:, h], acc, wq[:, :, h*DH : +DH], turned_rows, 2*h, [wq_in, flipped[R - 1, KT - 1]], out, eng=scalar)
    project(k[:, h], acc, wk[:, :, h*DH : +DH], turned_rows, 2*h + 1, wk_in, out)
.end
.for r in 0..R
    project(v[:, r], acc, turned_rows[:, :, r*P : +P], wv, 2*H + r, wv_in, out, eng=scalar)
.end

; ------------------------------------------------------------------------------ heads, and back to the rows
.sbuf  context         bf16[P, R, D]
.sbuf  turned_context  bf16[P, KT, S]
.sbuf  mid             f32[P, R, D]
.psum  scores          f32[P, 2, P]
.psum  powers          bf16[P, P]
.psum  sums            f32[P, DH]
.for r in 0..R
    .for h in 0..H
        attention(context[:, r, h*DH : +DH], q[:, h, r*P : +P], k[:, h], v[:, :, h*DH : +DH], unit, scores, powers, sums, DH ** -0.5, [out[2*H + R - 1], out[2*H + R - 2], out[2*H - 1]], attended[r, h])
    .end
    .const n = 2*H + R + r
    transpose_tiles(turned_context[:, :, r*P : +P], context[:, r], unit, turned, attended[r, H - 1], done=crossed[r], trail=flips, at=(R + r)*KT)
    matmul(acc[:, n % 2, 0:D], turned_context[:, :, r*P : +P], wo, [crossed[r, KT - 1], wo_in, out[n - 2]], projected[r])
    @vector  ScalarTensorTensor  mid[:, r], acc[:, n % 2, 0:D], x[:, r], op0=multiply, operand0=IN_D, op1=add    after projected[r]    post out[n]
.end

; ------------------------------------------------------------------------------ the MLP
.sbuf  y             f32[P, R, D]
.sbuf  rows2         bf16[P, R, D]
.sbuf  turned_rows2  bf16[P, KT, S]
.psum  up            f32[P, 2, P]
.psum  down          f32[P, D]
.for r in 0..R
    rmsnorm(rows2[:, r], mid[:, r], gain2, [out[2*H + R + r], gain2_in], normed2[r])
    transpose_tiles(turned_rows2[:, :, r*P : +P], rows2[:, r], unit, turned, normed2[r], done=flipped2[r], trail=flips, at=(2*R + r)*KT)
    .view  z = turned_rows2[:, :, r*P : +P]
    mlp(y[:, r], z, w1, b1, w2, mid[:, r], up, down, [flipped2[r, KT - 1], w1_in, b1_in, w2_in], made[r], made[r - 1], scale1=IN_D, scale2=IN_F)
.end
store_tiles(Y.reshape(R, P, D), y, made)
@gpsimd  .drain

; float32 in NumPy: data/make_transformer_block.py. What is rounded to bfloat16 on the way is off by at most 1 in 256;
; sums over the features take most of that away again.
.if S == 256 and D == 128 and H == 2 and F == 512
.expect  Y ~ "data/transformer_block.npz:y"   rtol=2e-3 atol=1e-2
.end
