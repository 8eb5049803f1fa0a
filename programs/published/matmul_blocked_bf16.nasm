; C[M,N] = A.T @ B in blocks of BM tiles of A's columns and BN of B's
;
; bfloat16: for a block of m all of A's column is loaded, for a block of n all of B's; then for bm,
; for bn, the matmuls of k. A load brings AW tiles of A or BW tiles of B side by side: 1 and 1 are
; tiles, BM and BN are rows. Sync issues all transfers, with descriptors made in hardware: first what
; the first blocks need, then each as soon as its buffer is free. A has a ring of RA buffers, B one of
; RB, results eight PSUM banks and four tiles to leave from.
.target trn2
.const M = 4096, K = 4096, N = 4096, BM = 8, BN = 2, AW = 1, BW = 1, RA = 384, RB = 96
.const MT = M // 128, KT = K // 128, NT = N // 512
.const PAIRS = MT // BM * (NT // BN), TOTAL = MT * NT * KT
.const NEED_A = BM // AW * KT, NEED_B = BN // BW * KT              ; loads for a block
.const ALL_A = MT // BM * NEED_A, ALL_B = PAIRS * NEED_B
.const BLOCK = NT // BN * BM * BN * KT, PAIR = BM * BN * KT        ; matmuls of a block of m; of m and n
.const SHARED = 4                                                  ; loads of A that share a semaphore
.const READY = 8                                                   ; matmuls until a result is copied

.assert M > 0 and M % (128 * BM) == 0, "M must be a multiple of a block, 128 * BM"
.assert K > 0 and KT % SHARED == 0, "K must be a multiple of 512: a semaphore serves four loads of A"
.assert N > 0 and N % (512 * BN) == 0, "N must be a multiple of a block, 512 * BN"
.assert RA >= NEED_A and RB >= NEED_B, "RA and RB must hold a block of A and of B"
.assert RA % SHARED == 0, "RA must be a multiple of 4"

.hbm   A  bf16[K, M]  input = normal(seed=1)
.hbm   B  bf16[K, N]  input = normal(seed=2)
.hbm   C  bf16[M, N]  output
.for i in 0..RA
.sbuf  a{i}  bf16[128, AW * 128]
.end
.for i in 0..RA // SHARED
.sem   a_in{i}
.end
.for i in 0..RB
.sbuf  b{i}  bf16[128, BW * 512]
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
.for x in 0..NEED_A
    DmaCopy  a{x}, A[x % KT * 128 : +128, x // KT * AW * 128 : +AW * 128]      $a_in{x // SHARED} += 16
.end
.for y in 0..min(RB, ALL_B)
    DmaCopy  b{y}, B[y % KT * 128 : +128, (y // NEED_B % (NT // BN) * BN + y % NEED_B // KT * BW) * 512 : +BW * 512]    $b_in{y} += 16
.end
.for x in NEED_A..min(RA, ALL_A)
    DmaCopy  a{x}, A[x % KT * 128 : +128, (x // NEED_A * BM + x % NEED_A // KT * AW) * 128 : +AW * 128]  $a_in{x // SHARED} += 16
.end
.for done in 1..TOTAL + READY + 1
.const t = done - 1, bm = t // (BN * KT) % BM, bn = t // KT % BN, k = t % KT
; The last matmul that uses a row or tile frees its buffer for the one that comes a ring later.
.const x = t // BLOCK * NEED_A + bm // AW * KT + k + RA
.if t % BLOCK >= BLOCK - PAIR and bn == BN - 1 and bm % AW == AW - 1 and x < ALL_A and t < TOTAL
    DmaCopy  a{x % RA}, A[x % KT * 128 : +128, (x // NEED_A * BM + x % NEED_A // KT * AW) * 128 : +AW * 128]  $multiplied >= done  $a_in{x % RA // SHARED} += 16
.end
.const y = t // PAIR * NEED_B + bn // BW * KT + k + RB
.if bm == BM - 1 and bn % BW == BW - 1 and y < ALL_B and t < TOTAL
    DmaCopy  b{y % RB}, B[y % KT * 128 : +128, (y // NEED_B % (NT // BN) * BN + y % NEED_B // KT * BW) * 512 : +BW * 512]  $multiplied >= done  $b_in{y % RB} += 16
.end
.if done > READY and (done - READY) % KT == 0
.const h = (done - READY) // KT - 1, was = h // (BM * BN)
.const row = was // (NT // BN) * BM + h // BN % BM, column = was % (NT // BN) * BN + h % BN
    DmaCopy  C[row*128 : +128, column*512 : +512], c{h % 4}  $copied >= h + 1  $stored{h % 4} += 16
.end
.end

@tensor
.for t in 0..TOTAL
.const bm = t // (BN * KT) % BM, bn = t // KT % BN, k = t % KT
.const x = t // BLOCK * NEED_A + bm // AW * KT + k, y = t // PAIR * NEED_B + bn // BW * KT + k
.if k == 0
    EventSemaphore  $copied >= max(0, t // KT - 7)
.end
    LoadStationary  a{x % RA}[:, bm % AW * 128 : +128]                                        $a_in{x % RA // SHARED} >= 16 * SHARED * (x // RA + 1)
    MultiplyMoving  acc{t // KT % 8}, b{y % RB}[:, bn % BW * 512 : +512], accumulate=(k > 0)  $b_in{y % RB} >= 16 * (y // RB + 1)  $multiplied++
.end

@vector
.for g in 0..TOTAL // KT
    EventSemaphore                        $stored{g % 4} >= 16 * (g // 4)
    TensorCopy      c{g % 4}, acc{g % 8}  $multiplied >= (g + 1) * KT  $copied++
.end

@sync
.for i in 0..4
    EventSemaphore  $stored{i} >= 16 * ((TOTAL // KT + 3 - i) // 4)
.end
