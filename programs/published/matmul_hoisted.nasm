; C[M,N] = A.T @ B in tiles of 128 x 512, with loads hoisted out of the loops over what they serve
;
; float32: for m all tiles of A's column are loaded, for n all of B's, then the matmuls of k. GpSimd
; issues all transfers with software descriptors, in the order of the loops; a store stands behind
; the loads that are issued before its tile is ready. B has a buffer for each k, which its tile of
; the next column takes when it has been used; A has two for each, so that m + 1 loads during m.
.target trn2
.const M = 4096, K = 8192, N = 8192
.const MT = M // 128, KT = K // 128, NT = N // 512
.const GROUPS = MT * NT, LAG = KT + 2

.assert M > 0 and M % 128 == 0, "M must be a multiple of 128, the columns of a stationary tile"
.assert K > 0 and K % 128 == 0, "K must be a multiple of 128, the partitions of a tile"
.assert N > 0 and N % 512 == 0, "N must be a multiple of 512, the columns of a PSUM bank in float32"

.hbm   A  f32[K, M]  input = normal(seed=1)
.hbm   B  f32[K, N]  input = normal(seed=2)
.hbm   C  f32[M, N]  output
.for i in 0..2 * KT
.sbuf  a{i}  f32[128, 128]
.sem   a_in{i}
.end
.for k in 0..KT
.sbuf  b{k}  f32[128, 512]
.sem   b_in{k}
.end
.for i in 0..8
.psum  acc{i}  f32[128, 512] @ bank i
.end
.for i in 0..4
.sbuf  c{i}  f32[128, 512]
.sem   stored{i}
.end
.sem   multiplied, copied            ; these count matmuls, and results

@gpsimd
.for t in 0..GROUPS * KT + LAG
.if t < GROUPS * KT
.const g = t // KT, k = t % KT, m = g // NT
.if t % (NT * KT) == 0
    EventSemaphore  $multiplied >= max(0, m - 1) * NT * KT
.for i in 0..KT
    DmaCopy  a{m % 2 * KT + i}, A[i*128 : +128, m*128 : +128]       $a_in{m % 2 * KT + i} += 16
.end
.end
    DmaCopy  b{k}, B[k*128 : +128, g % NT * 512 : +512]  $multiplied >= max(0, t - KT + 1)  $b_in{k} += 16
.end
.if t >= LAG and (t - LAG) % KT == KT - 1
.const h = (t - LAG) // KT
    DmaCopy  C[h // NT * 128 : +128, h % NT * 512 : +512], c{h % 4}  $copied >= h + 1  $stored{h % 4} += 16
.end
.end

@tensor
.for g in 0..GROUPS
.const m = g // NT, set = m % 2 * KT
    EventSemaphore  $copied >= max(0, g - 7)
.for k in 0..KT
    LoadStationary  a{set + k}                              $a_in{set + k} >= 16 * (m // 2 + 1)
    MultiplyMoving  acc{g % 8}, b{k}, accumulate=(k > 0)    $b_in{k} >= 16 * (g + 1)  $multiplied++
.end
.end

@vector
.for g in 0..GROUPS
    EventSemaphore                        $stored{g % 4} >= 16 * (g // 4)
    TensorCopy      c{g % 4}, acc{g % 8}  $multiplied >= (g + 1) * KT  $copied++
.end

@gpsimd
.for i in 0..4
    EventSemaphore  $stored{i} >= 16 * ((GROUPS + 3 - i) // 4)
.end
