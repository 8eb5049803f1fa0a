; C[M,N] = A.T @ B in blocks of BM, BN and BK tiles, sums over the blocks of K kept in SBUF
;
; float32: for n a block of C is set to zero, all of M; for k a block of B is loaded, rows of BN
; tiles; for m a block of A, rows of BM tiles; then for bn, for bm, the matmuls of bk make a group, and
; Vector adds what it made to its tile of C. At the end of n Vector packs tiles of C into rows of BN,
; which are stored.
;
; A and B have one buffer for each row. So that Tensor need not wait for the rows of a new block, its
; first SIDE groups are computed side by side: all of them with the first row, then with the second.
; C does not fit beside them: OUT tiles of each block of m, every second from bm = FIRST on in the
; first column, stay in HBM; they are loaded to be added to and stored again, through two buffers.
; Sync and Scalar issue the loads of B in turn, with descriptors made in hardware; GpSimd issues all
; others, with software descriptors, and sets C to zero.
.target trn2
.const M = 4096, K = 8192, N = 8192, BM = 16, BN = 2, BK = 8, SIDE = 7, OUT = 5, FIRST = 7
.const TM = 128 * BM, TN = 512 * BN, TK = 128 * BK
.const MB = M // TM, NB = N // TN, KB = K // TK
.const GROUPS = BM * BN, BLOCK = GROUPS * BK           ; of a block: groups, matmuls
.const LAST = FIRST + 2 * (OUT - 1)
.const BLOCKS = KB * MB                                ; of one n
.const USES = (BLOCKS + MB) * OUT                      ; of the two buffers, in one n

.assert M > 0 and M % TM == 0, "M must be a multiple of a block, 128 * BM"
.assert K > 0 and K % TK == 0, "K must be a multiple of a block, 128 * BK"
.assert N > 0 and N % TN == 0, "N must be a multiple of a block, 512 * BN"
.assert SIDE < GROUPS and SIDE <= 7, "SIDE must be at most 7, the PSUM banks but one, and leave a group"
.assert OUT * MB % 2 == 0, "OUT tiles of all blocks of m must be even, as their buffers are"
.assert FIRST + 2 * (OUT - 1) < BM, "FIRST + 2 * (OUT - 1) must be a tile of the first column"

.hbm   A        f32[K, M]  input = normal(seed=1)
.hbm   B        f32[K, N]  input = normal(seed=2)
.hbm   C        f32[M, N]  output
.hbm   spilled  f32[MB * OUT * 128, 512]
.for i in 0..BK
.sbuf  a{i}  f32[128, TM]
.sbuf  b{i}  f32[128, TN]
.sem   a_in{i}, b_in{i}
.end
.for m in 0..MB
.for g in 0..GROUPS
.if g < FIRST or g > LAST or (g - FIRST) % 2 == 1
.sbuf  c{m * GROUPS + g}  f32[128, 512]
.end
.end
.end
.for i in 0..2
.sbuf  out{i}     f32[128, 512]
.sbuf  packed{i}  f32[128, TN]
.sem   filled{i}, emptied{i}, stored{i}
.end
.for i in 0..8
.psum  acc{i}  f32[128, 512] @ bank i
.end
.sem   multiplied, added             ; these count matmuls, and groups
.sem   zeroed, copied                ; and rows of BN tiles of C

; ------------------------------------------------------------------------------ rows of B
.for t in 0..NB * KB
.for i in 0..BK
.if i % 2 == 0
@sync
.else
@scalar
.end
    DmaCopy  b{i}, B[(t % KB * BK + i)*128 : +128, t // KB * TN : +TN]  $multiplied >= max(0, t * MB * BLOCK - BK + i + 1)  $b_in{i} += 16
.end
.end

; ------------------------------------------------------------------------------ matmuls
@tensor
.for block in 0..NB * BLOCKS
.const rows = 16 * (block + 1), columns = 16 * (block // MB + 1)
.for i in 0..BK
.for g in 0..SIDE
.const group = block * GROUPS + g
.if i == 0
    EventSemaphore  $added >= max(0, group - 7)
.end
    LoadStationary  a{i}[:, g % BM * 128 : +128]                                         $a_in{i} >= rows
    MultiplyMoving  acc{group % 8}, b{i}[:, g // BM * 512 : +512], accumulate=(i > 0)    $b_in{i} >= columns  $multiplied++
.end
.end
.for g in SIDE..GROUPS
.const group = block * GROUPS + g
    EventSemaphore  $added >= max(0, group - 7)
.for i in 0..BK
    LoadStationary  a{i}[:, g % BM * 128 : +128]
    MultiplyMoving  acc{group % 8}, b{i}[:, g // BM * 512 : +512], accumulate=(i > 0)    $multiplied++
.end
.end
.end

; ------------------------------------------------------------------------------ sums
; A use of the buffers out0 and out1 has a number: it fills one, something is added or copied, and
; the buffer is empty again.
@vector
.for n in 0..NB
.for b in 0..BLOCKS
.const k = b // MB, m = b % MB, block = n * BLOCKS + b
.for g in 0..GROUPS
.const group = block * GROUPS + g
.const now = block * BLOCK + min(SIDE * (BK - 1) + g + 1, SIDE * BK) + max(0, g - SIDE + 1) * BK
.if g < FIRST or g > LAST or (g - FIRST) % 2 == 1
.if k == 0
    EventSemaphore  $zeroed >= (n * MB + m) * BM + g % BM + 1
.end
    TensorTensor    c{m * GROUPS + g}, c{m * GROUPS + g}, acc{group % 8}, op=add    $multiplied >= now  $added++
.else
.const use = n * USES + b * OUT + (g - FIRST) // 2
    EventSemaphore  $filled{use % 2} >= 16 * (use // 2 + 1)
    TensorTensor    out{use % 2}, out{use % 2}, acc{group % 8}, op=add    $multiplied >= now            $added++
.end
.end
.end
.for p in 0..MB * BM
.const row = n * MB * BM + p, bm = p % BM, g = p // BM * GROUPS + bm
    EventSemaphore  $stored{row % 2} >= 16 * (row // 2)
.if bm < FIRST or bm > LAST or (bm - FIRST) % 2 == 1
    TensorCopy      packed{row % 2}[:, 0 : 512], c{g}
.else
.const use = n * USES + (BLOCKS + p // BM) * OUT + (bm - FIRST) // 2
    TensorCopy      packed{row % 2}[:, 0 : 512], out{use % 2}    $filled{use % 2} >= 16 * (use // 2 + 1)  $emptied{use % 2} += 16
.end
.for bn in 1..BN
    TensorCopy      packed{row % 2}[:, bn*512 : +512], c{g + bn * BM}
.end
    EventSemaphore  $copied++
.end
.end

; ------------------------------------------------------------------------------ all other transfers
@gpsimd
.for i in 0..BK
    DmaCopy  a{i}, A[i*128 : +128, 0 : TM]  $a_in{i} += 16
.end
.for n in 0..NB + 1
; What the last n left is packed and stored; then its tiles are set to zero for this one.
.if n > 0
.for j in 0..min(2, MB * OUT)
.const use = (n - 1) * USES + BLOCKS * OUT + j
    DmaCopy  out{use % 2}, spilled[j*128 : +128]  $emptied{use % 2} >= 16 * (use // 2)  $filled{use % 2} += 16
.end
.end
.for p in 0..MB * BM
.const row = (n - 1) * MB * BM + p, m = p // BM, bm = p % BM, j = m * OUT + (bm - FIRST) // 2
.if n > 0
    DmaCopy  C[p*128 : +128, (n - 1)*TN : +TN], packed{row % 2}  $copied >= row + 1  $stored{row % 2} += 16
.if bm >= FIRST and bm <= LAST and (bm - FIRST) % 2 == 0 and j + 2 < MB * OUT
.const use = (n - 1) * USES + BLOCKS * OUT + j + 2
    DmaCopy  out{use % 2}, spilled[(j + 2)*128 : +128]  $emptied{use % 2} >= 16 * (use // 2)  $filled{use % 2} += 16
.end
.end
.if n < NB
.for bn in 0..BN
.if bn > 0 or bm < FIRST or bm > LAST or (bm - FIRST) % 2 == 1
    Memset  c{m * GROUPS + bn * BM + bm}, 0.0
.end
.end
    EventSemaphore  $zeroed++
.end
.end
.if n < NB
.for b in 0..BLOCKS
.const block = n * BLOCKS + b, m = b % MB
.for j in 0..OUT + 2
.if j < OUT
.const use = n * USES + b * OUT + j
.if b < MB
    Memset   out{use % 2}, 0.0                                $emptied{use % 2} >= 16 * (use // 2)  $filled{use % 2} += 16
.else
    DmaCopy  out{use % 2}, spilled[(m * OUT + j)*128 : +128]  $emptied{use % 2} >= 16 * (use // 2)  $filled{use % 2} += 16
.end
.end
.if j >= 1 and j <= OUT
.const done = n * USES + b * OUT + j - 1
    DmaCopy  spilled[(m * OUT + j - 1)*128 : +128], out{done % 2}  $added >= block * GROUPS + FIRST + 2 * j - 1  $emptied{done % 2} += 16
.end
.end
.if block + 1 < NB * BLOCKS
.for i in 0..BK
    DmaCopy  a{i}, A[((b + 1) % BLOCKS // MB * BK + i)*128 : +128, (b + 1) % MB * TM : +TM]  $multiplied >= (block + 1) * BLOCK - BK + i + 1  $a_in{i} += 16
.end
.end
.end
.end
.end
    EventSemaphore  $stored0 >= 16 * (NB * MB * BM // 2)
    EventSemaphore  $stored1 >= 16 * (NB * MB * BM // 2)
