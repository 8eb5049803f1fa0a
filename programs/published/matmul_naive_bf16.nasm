; C[M,N] = A.T @ B in tiles of 128 x 512, K in steps of 128: loads stand in the innermost loop
;
; bfloat16: for m, for n, for k. B's tile is loaded for every matmul; A's stays for REUSED columns
; of tiles. Sync issues all transfers, with descriptors made in hardware, in the order of the loops;
; a store stands behind the loads that are issued before its tile is ready. B has D buffers, A two
; for each k, results eight PSUM banks and four tiles to leave from.
.target trn2
.const M = 4096, K = 4096, N = 4096, D = 64, REUSED = 3
.const MT = M // 128, KT = K // 128, NT = N // 512
.const GROUPS = MT * NT, LAG = min(D + 2, 3 * KT), SETS = ceil_div(NT, REUSED)

.assert M > 0 and M % 128 == 0, "M must be a multiple of 128, the columns of a stationary tile"
.assert K > 0 and K % 128 == 0, "K must be a multiple of 128, the partitions of a tile"
.assert N > 0 and N % 512 == 0, "N must be a multiple of 512, the columns of a PSUM bank in float32"

.hbm   A  bf16[K, M]  input = normal(seed=1)
.hbm   B  bf16[K, N]  input = normal(seed=2)
.hbm   C  bf16[M, N]  output
.for i in 0..2 * KT
.sbuf  a{i}  bf16[128, 128]
.sem   a_in{i}
.end
.for i in 0..D
.sbuf  b{i}  bf16[128, 512]
.sem   b_in{i}
.end
.for i in 0..8
.psum  acc{i}  f32[128, 512] @ bank i
.end
.for i in 0..4
.sbuf  c{i}  bf16[128, 512]
.sem   stored{i}
.end
.sem   multiplied, copied            ; these count matmuls, and results

@sync
.for t in 0..GROUPS * KT + LAG
.if t < GROUPS * KT
.const g = t // KT, k = t % KT, m = g // NT, n = g % NT, set = m * SETS + n // REUSED
.if n % REUSED == 0
; The set before the last has been used when the last one's first column begins.
.const last = max(0, set - 1), free = last // SETS * NT + last % SETS * REUSED
    DmaCopy  a{set % 2 * KT + k}, A[k*128 : +128, m*128 : +128]  $multiplied >= free * KT           $a_in{set % 2 * KT + k} += 16
.end
    DmaCopy  b{t % D}, B[k*128 : +128, n*512 : +512]             $multiplied >= max(0, t - D + 1)   $b_in{t % D} += 16
.end
.if t >= LAG and (t - LAG) % KT == KT - 1
.const h = (t - LAG) // KT
    DmaCopy  C[h // NT * 128 : +128, h % NT * 512 : +512], c{h % 4}  $copied >= h + 1  $stored{h % 4} += 16
.end
.end

@tensor
.for g in 0..GROUPS
.const set = g // NT * SETS + g % NT // REUSED
    EventSemaphore  $copied >= max(0, g - 7)
.for k in 0..KT
.const t = g * KT + k, i = set % 2 * KT + k
    LoadStationary  a{i}                                          $a_in{i} >= 16 * (set // 2 + 1)
    MultiplyMoving  acc{g % 8}, b{t % D}, accumulate=(k > 0)      $b_in{t % D} >= 16 * (t // D + 1)  $multiplied++
.end
.end

@vector
.for g in 0..GROUPS
    EventSemaphore                        $stored{g % 4} >= 16 * (g // 4)
    TensorCopy      c{g % 4}, acc{g % 8}  $multiplied >= (g + 1) * KT  $copied++
.end

@sync
.for i in 0..4
    EventSemaphore  $stored{i} >= 16 * ((GROUPS + 3 - i) // 4)
.end
