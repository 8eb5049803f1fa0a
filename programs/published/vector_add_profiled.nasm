; C = A + B in COUNT pieces of [128,F] float32, as it was compiled to be profiled: descriptors are
; written before the run, Sync issues all loads and GpSimd the stores. Every piece has tiles of its own.
.target trn2
.const COUNT = 3, F = 4
.assert COUNT > 0, "COUNT must be at least 1, the pieces"

.hbm  A  f32[128, COUNT * F]  input = normal(seed=1)
.hbm  B  f32[128, COUNT * F]  input = normal(seed=2)
.hbm  C  f32[128, COUNT * F]  output

.for k in 0..COUNT
.sbuf  a{k}  f32[128, F]
.sbuf  b{k}  f32[128, F]
.sbuf  c{k}  f32[128, F]
.sem   loaded{k}
.end
.sem   added, stored

@sync
.for k in 0..COUNT
    DmaCopy  a{k}, A[:, k*F : +F], dge_mode=none  $loaded{k} += 16
    DmaCopy  b{k}, B[:, k*F : +F], dge_mode=none  $loaded{k} += 16
.end

@vector
.for k in 0..COUNT
    TensorTensor  c{k}, a{k}, b{k}, op=add  $loaded{k} >= 32  $added++
.end

@gpsimd
.for k in 0..COUNT
    DmaCopy  C[:, k*F : +F], c{k}, dge_mode=none, queue=1  $added >= k + 1  $stored += 16
.end
    EventSemaphore  $stored >= 16 * COUNT

.expect  C == A + B
