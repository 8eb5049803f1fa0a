; O = softmax(Q @ K.T / sqrt(D)) @ V, one head, with an online softmax: of lib/attention.nasm
; Other sizes: neuron-nasm run programs/attention.nasm -D S=1024 -D D=128
;
; Q and K come in transposed, [D, S], so that D is on the partitions that a matmul sums over. Queries are taken
; 128 at a time, keys in tiles of 128: however many keys there are, two tiles of scores exist at a time.
.target trn1
.include "lib/tiles.nasm"
.include "lib/transpose.nasm"
.include "lib/attention.nasm"
.const S = 512, D = 64, P = 128, T = S // P
.const SCALE = D ** -0.5
.assert S % P == 0, "S must be a multiple of 128, the queries and keys of a tile"
.assert D <= P, "D must be at most 128, the partitions of a tile"

.hbm   Q  bf16[D, S]  input = normal(seed=1)
.hbm   K  bf16[D, S]  input = normal(seed=2)
.hbm   V  bf16[S, D]  input = normal(seed=3)
.hbm   O  f32[S, D]   output

.sbuf  q       bf16[D, S]
.sbuf  k       bf16[D, S]
.sbuf  v       bf16[P, T, D]
.sbuf  unit    bf16[P, P]
.sbuf  o       f32[P, 2, D]
.psum  scores  f32[P, 2, P]
.psum  turned  bf16[P, P]
.psum  sums    f32[P, D]

@sync    DmaCopy  q, Q                                              post q_in
@scalar  DmaCopy  k, K, queue=1                                     post k_in
@sync    DmaCopy  v, V.reshape(T, P, D).permute(1, 0, 2), queue=2    post v_in
identity(unit, done=same)

.for t in 0..T
    .if t < 2
        attention(o[:, t % 2], q[:, t*P : +P], k, v, unit, scores, turned, sums, SCALE, [q_in, k_in, v_in, same], made[t])
    .else
        attention(o[:, t % 2], q[:, t*P : +P], k, v, unit, scores, turned, sums, SCALE, stored[t - 2], made[t])
    .end
.end
store_tiles(O.reshape(T, P, D), o, made, stored)
@gpsimd  .drain

; Powers are rounded to bfloat16: each is off by at most 1 in 256, and so is their mean.
.expect  O ~ softmax(Q.T @ K * SCALE) @ V   rtol=1e-2 atol=4e-3
.expect  abs(mean(O - softmax(Q.T @ K * SCALE) @ V)) <= 2e-4
