; C[M,N] = A.T @ B in blocks of BM tiles of A's columns and BN of B's
;
; float32: for a block of m all its tiles of A are loaded, for a block of n all of B's; then for bm,
; for bn, the matmuls of k. A block of B is too large to stay: KEPT of its tiles do, in buffers of
; their own, and the others are loaded again for each bm, into a ring of D. A has two sets of
; buffers: the next block's tiles are loaded one by one while this block is computed. GpSimd issues
; all transfers with software descriptors, in the order of use; a store stands behind the loads that
; are issued before its tile is ready.
.target trn2
.const M = 4096, K = 8192, N = 8192, BM = 2, BN = 2, KEPT = 6, D = 24
.const MT = M // 128, KT = K // 128, NT = N // 512
.const SET = BM * KT                       ; tiles of A in a block
.const USES = BN * KT, RING = USES - KEPT  ; matmuls of a bm, and those that find B in the ring
.const PAIRS = MT // BM * (NT // BN)       ; blocks of m and n
.const BLOCK = NT // BN * BM * USES        ; matmuls of a block of m
.const TOTAL = MT // BM * BLOCK, LAG = D + 2

.assert M > 0 and MT % BM == 0 and M % 128 == 0, "M must be a multiple of a block, 128 * BM"
.assert K > 0 and K % 512 == 0, "K must be a multiple of 512: a semaphore serves four tiles of A"
.assert N > 0 and NT % BN == 0 and N % 512 == 0, "N must be a multiple of a block, 512 * BN"
.assert KEPT <= KT, "KEPT must be at most the tiles in a column of B"

.hbm   A  f32[K, M]  input = normal(seed=1)
.hbm   B  f32[K, N]  input = normal(seed=2)
.hbm   C  f32[M, N]  output
.for i in 0..2 * SET
.sbuf  a{i}  f32[128, 128]
.end
.for i in 0..2 * SET // 4
.sem   a_in{i}
.end
.for i in 0..KEPT
.sbuf  kept{i}  f32[128, 512]
.sem   kept_in{i}
.end
.for i in 0..D
.sbuf  b{i}  f32[128, 512]
.sem   b_in{i}
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
.for i in 0..SET
    DmaCopy  a{i}, A[i % KT * 128 : +128, i // KT * 128 : +128]   $a_in{i // 4} += 16
.end
.for t in 0..TOTAL + LAG
.if t < TOTAL
.const pair = t // (BM * USES), bm = t // USES % BM, u = t % USES, n = pair % (NT // BN) * BN + u // KT, k = t % KT
.if u >= KEPT
; The ring's tile q is for the matmul t; the tile that had its buffer was for the matmul at `before`.
.const q = t // USES * RING + u - KEPT, o = q - D, before = o // RING * USES + KEPT + o % RING
    DmaCopy  b{q % D}, B[k*128 : +128, n*512 : +512]  $multiplied >= max(0, before + 1)   $b_in{q % D} += 16
.end
.if u < KEPT and bm == 0
    DmaCopy  kept{u}, B[k*128 : +128, n*512 : +512]  $multiplied >= max(0, t - USES + 1)  $kept_in{u} += 16
.end
.const e = BLOCK // SET, i = t % BLOCK // e, next = t // BLOCK + 1
.if t % e == e - 1 and next < MT // BM
    DmaCopy  a{next % 2 * SET + i}, A[i % KT * 128 : +128, (next * BM + i // KT) * 128 : +128]  $multiplied >= t // BLOCK * BLOCK  $a_in{(next % 2 * SET + i) // 4} += 16
.end
.end
.if t >= LAG and (t - LAG) % KT == KT - 1
.const h = (t - LAG) // KT, was = h // (BM * BN)
.const row = was // (NT // BN) * BM + h // BN % BM, column = was % (NT // BN) * BN + h % BN
    DmaCopy  C[row*128 : +128, column*512 : +512], c{h % 4}  $copied >= h + 1  $stored{h % 4} += 16
.end
.end

@tensor
.for t in 0..TOTAL
.const block = t // BLOCK, u = t % USES, i = block % 2 * SET + t // USES % BM * KT + t % KT
.if t % KT == 0
    EventSemaphore  $copied >= max(0, t // KT - 7)
.end
    LoadStationary  a{i}    $a_in{i // 4} >= 64 * (block // 2 + 1)
.if u < KEPT
    MultiplyMoving  acc{t // KT % 8}, kept{u}, accumulate=(t % KT > 0)    $kept_in{u} >= 16 * (t // (BM * USES) + 1)  $multiplied++
.else
.const q = t // USES * RING + u - KEPT
    MultiplyMoving  acc{t // KT % 8}, b{q % D}, accumulate=(t % KT > 0)   $b_in{q % D} >= 16 * (q // D + 1)           $multiplied++
.end
.end

@vector
.for g in 0..TOTAL // KT
    EventSemaphore                        $stored{g % 4} >= 16 * (g // 4)
    TensorCopy      c{g % 4}, acc{g % 8}  $multiplied >= (g + 1) * KT  $copied++
.end

@gpsimd
.for i in 0..4
    EventSemaphore  $stored{i} >= 16 * ((TOTAL // KT + 3 - i) // 4)
.end
