; Matrix products on the Tensor engine. It multiplies stationary.T @ moving and sums over the partitions;
; longer sums are steps of up to 128 partitions that add to one PSUM tile.

; matmul(acc, a, b): acc = sum over k of a[:, k].T @ b[:, k].
;   acc    PSUM f32[M, N], M <= 128, N <= 512: within one bank
;   a      SBUF [K, STEPS, M], the stationary side
;   b      SBUF [K, STEPS, N], of the same dtype
;   ready  comes after these: a and b are there, and nobody reads what acc held
;   done   posts done when acc is complete
; Cost: STEPS * N cycles of Tensor in bfloat16, STEPS * 4 N in float32.
.macro matmul(acc, a, b, ready=[], done=[])
    .const STEPS = shape(a, 1)
    .assert shape(a, 0) == shape(b, 0) and shape(b, 1) == STEPS, "matmul: a is [K, STEPS, M] and b [K, STEPS, N]"
    .assert shape(acc, 0) == shape(a, 2) and shape(acc, 1) == shape(b, 2), "matmul: acc is [M, N] for a [K, STEPS, M] and b [K, STEPS, N]"
    .assert shape(a, 2) <= 128 and shape(b, 2) <= 512, "matmul: M is at most 128 and N at most 512, one PSUM bank"
    .for k in 0..STEPS
        @tensor  LoadStationary  a[:, k]                                 after ready if k == 0
        .if k < STEPS - 1
            @tensor  MultiplyMoving  acc, b[:, k], accumulate=(k > 0)
        .else
            @tensor  MultiplyMoving  acc, b[:, k], accumulate=(k > 0)    post done
        .end
    .end
.end

; matmul_tiles(C, A, B): C = A.T @ B between tensors of HBM, of any size that tiles.
;   C       HBM f32[M, N]
;   A, B    HBM [K, M] and [K, N], of one dtype; K and M multiples of 128, N of TN
;   ready   comes after these before it loads anything: A and B are there
;   done    posts done[p] when piece p of C is stored: done[0] to done[M // 128 * (N // TN) - 1]
;   eng     the engine that empties PSUM: vector or scalar
;   TN      columns of a piece, up to 512
; A block of B (all of K, TN columns) is loaded once for all pieces of its column, a block of A for each
; piece; every buffer exists twice. Takes 2 PSUM banks and, of each partition,
; 2 * (K // 128) * (128 + TN) elements and 2 * TN float32.
; Cost: M * N * K // 16384 cycles of Tensor in bfloat16, if the loads keep up.
.macro matmul_tiles(C, A, B, ready=[], done=[], eng=vector, TN=512)
    .const K = shape(A, 0), M = shape(A, 1), N = shape(B, 1), TK = 128, TM = 128
    .assert K == shape(B, 0) and shape(C, 0) == M and shape(C, 1) == N, "matmul_tiles: C is [M, N] for A [K, M] and B [K, N]"
    .assert K % TK == 0 and M % TM == 0, "matmul_tiles: K and M are multiples of 128"
    .assert TN <= 512 and N % TN == 0, "matmul_tiles: N is a multiple of TN, which is at most 512"
    .const KT = K // TK, MT = M // TM, DT = dtype(A)
    .sbuf  a    DT[TK, 2, KT, TM]
    .sbuf  b    DT[TK, 2, KT, TN]
    .sbuf  c    f32[TM, 2, TN]
    .psum  acc  f32[TM, 2, TN]
    .view  a_blocks = A.reshape(KT, TK, M).permute(1, 0, 2)
    .view  b_blocks = B.reshape(KT, TK, N).permute(1, 0, 2)
    .for p in 0..MT * (N // TN)
        .const m = p % MT, n = p // MT, i = p % 2, j = n % 2
        .view  piece = C[m*TM : +TM, n*TN : +TN]
        ; b[:, j] is free when the last piece of column n - 2 is multiplied, a[:, i] when piece p - 2 is
        .if m == 0
            @scalar  DmaCopy  b[:, j], b_blocks[:, :, n*TN : +TN], queue=1    after ready if n == 0, product[(n - 1)*MT - 1]    post column[n]
        .end
        @sync    DmaCopy     a[:, i], a_blocks[:, :, m*TM : +TM]    after ready if p == 0, product[p - 2]    post block[p]
        matmul(acc[:, i], a[:, i], b[:, j], [block[p], column[n], copied[p - 2]], product[p])
        @eng     TensorCopy  c[:, i], acc[:, i]                     after product[p], stored[p - 2]          post copied[p]
        @gpsimd  DmaCopy     piece, c[:, i], queue=2                after copied[p]                          post stored[p]    post done[p]
    .end
.end
