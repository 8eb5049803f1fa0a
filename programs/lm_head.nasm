; Y = softmax(layernorm(X) @ W), each row of S over V words: the end of a language model, made of programs/lib/
; Other sizes: neuron-nasm run programs/lm_head.nasm -D S=512 -D V=2048
;
; Three stages, with HBM between them: rows are normalised and turned, tiles are multiplied, rows become chances. In the first and
; the last, tile t + 1 comes in and tile t - 1 goes out while engines are at tile t.
.target trn1
.include "lib/tiles.nasm"
.include "lib/transpose.nasm"
.include "lib/norms.nasm"
.include "lib/matmul.nasm"
.include "lib/softmax.nasm"
.const S = 384, D = 256, V = 1024
.const P = 128, T = S // P, KT = D // P, EPS = 1e-5
.assert S % P == 0 and D % P == 0, "S and D must be multiples of 128"

.hbm   X      f32[S, D]   input = normal(seed=1)
.hbm   GAIN   f32[1, D]   input = random(seed=2)
.hbm   SHIFT  f32[1, D]   input = random(seed=3)
.hbm   W      bf16[D, V]  input = random(seed=4)
.hbm   N      bf16[D, S]            ; normalised rows, turned
.hbm   L      f32[S, V]             ; logits
.hbm   Y      f32[S, V]   output

; ------------------------------------------------------------------------------ rows, normalised and turned
.sbuf  x       f32[P, 2, D]
.sbuf  rows    bf16[P, 2, D]
.sbuf  turned  bf16[P, 2, KT, P]
.sbuf  gain    f32[P, D]
.sbuf  shift   f32[P, D]
.sbuf  unit    bf16[P, P]
.psum  banks   bf16[P, 2, P]
load_row(gain, GAIN, gain_in)
load_row(shift, SHIFT, shift_in)
identity(unit, same)
load_tiles(x, X.reshape(T, P, D), x_in, normed)
.for t in 0..T
    .const i = t % 2
    layernorm(rows[:, i], x[:, i], gain, shift, [x_in[t], gain_in, shift_in, flipped[t - 2, KT - 1]], normed[t], eps=EPS)
    transpose_tiles(turned[:, i], rows[:, i], unit, banks, [normed[t], same], n_out[t - 2], flipped[t], trail=flips, at=t*KT)
    @gpsimd  DmaCopy  N.reshape(KT, P, S).permute(1, 0, 2)[:, :, t*P : +P], turned[:, i]    after flipped[t, KT - 1]    post n_out[t]
.end

; ------------------------------------------------------------------------------ logits
@gpsimd  .drain
@gpsimd  EventSemaphore    post n_there
matmul_tiles(L, N, W, ready=n_there)
@gpsimd  .drain
@gpsimd  EventSemaphore    post l_there

; ------------------------------------------------------------------------------ chances
.sbuf  l  f32[P, 2, V]
load_tiles(l, L.reshape(T, P, V), l_in, y_out, ready=l_there)
.for t in 0..T
    softmax(l[:, t % 2], l[:, t % 2], l_in[t], chances[t], scale=D ** -0.5)
.end
store_tiles(Y.reshape(T, P, V), l, chances, y_out)
@gpsimd  .drain

; Normalised rows are rounded to bfloat16, twice.
.expect  L ~ N.T @ W                             rtol=1e-5 atol=1e-3
.expect  N.T ~ (X - mean(X, axis=1).reshape(S, 1)) / sqrt(
             mean(X**2, axis=1).reshape(S, 1) - mean(X, axis=1).reshape(S, 1)**2 + EPS
         ) * GAIN + SHIFT   rtol=4e-3 atol=8e-3
.expect  Y ~ softmax(L * D ** -0.5, axis=1)      rtol=1e-4 atol=1e-9
