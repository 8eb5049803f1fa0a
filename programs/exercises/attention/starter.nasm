; O = softmax(Q.T @ K / 8) @ V, in sequential order
.target trn2
.hbm   Q       bf16[64, 128]   input = normal(seed=1)
.hbm   K       bf16[64, 512]   input = normal(seed=2)
.hbm   V       bf16[512, 64]   input = normal(seed=3)
.hbm   O       f32[128, 64]    output
.sbuf  q       bf16[64, 128]
.sbuf  k       bf16[64, 512]
.sbuf  v       bf16[128, 4, 64]
.sbuf  unit    bf16[128, 128]
.sbuf  p       bf16[128, 512]
.sbuf  pt      bf16[128, 4, 128]
.sbuf  nmax    f32[128, 1]
.sbuf  total   f32[128, 1]
.sbuf  o       f32[128, 64]
.psum  scores  f32[128, 512]
.psum  turned  bf16[128, 4, 128]
.psum  sums    f32[128, 64]

@sync    DmaCopy         q, Q
@scalar  DmaCopy         k, K
@sync    DmaCopy         v, V.reshape(4, 128, 64).permute(1, 0, 2)
@vector  Memset          unit, 1
@gpsimd  AffineSelect    unit, unit, [[-1, 128]], 1, 0.0, cmp_op=equal
; your part
