; C[M,N] = A.T @ B for sizes that fit no single tile
; Other sizes: neuron-nasm run programs/matmul_tiled.nasm -D M=512 -D K=1024 -D N=2048
;
; C is made in pieces of 128 x 512, which is one PSUM bank. A piece is a sum over K in steps of 128,
; the partitions that one matmul contracts. Pieces go down a column of C before the next column
; begins: a block of B (all of K, 512 columns) is loaded once and serves all pieces of its column;
; a block of A (all of K, 128 columns) is loaded for each piece.
;
; Every buffer exists twice. While Tensor computes piece p from a[p % 2] into bank p % 2, the DMA
; engines fill the other a, and Vector empties the other bank. One rule keeps this right: who fills a
; buffer comes after those who read its former content.
.target trn1
.const M = 256, K = 512, N = 1024
.const TM = 128, TK = 128, TN = 512
.const MT = M // TM, KT = K // TK, NT = N // TN
.const PIECES = MT * NT

.assert M > 0 and M % TM == 0, "M must be a multiple of 128, the columns of a stationary tile"
.assert K > 0 and K % TK == 0, "K must be a multiple of 128, the partitions of a tile"
.assert N > 0 and N % TN == 0, "N must be a multiple of 512, the columns of a PSUM bank in float32"

.hbm   A  bf16[K, M]  input = normal(seed=1)
.hbm   B  bf16[K, N]  input = normal(seed=2)
.hbm   C  f32[M, N]   output

.sbuf  a[2]    bf16[TK, KT, TM]       ; step k of a block is a[:, k, :]
.sbuf  b[2]    bf16[TK, KT, TN]
.psum  acc[2]  f32[TM, TN]
.sbuf  c[2]    f32[TM, TN]

; ------------------------------------------------------------------------------ blocks come in
; One transfer brings a block: the view walks HBM in the order of the tile, [128, KT, columns].
; A and B have an engine each to start their transfers, and a ring each of the DMA engines, so that
; neither has to wait behind the other.
@sync
.for p in 0..PIECES
.const m = p % MT, i = p % 2
    ; the buffer is free when piece p - 2, the last to use it, is multiplied
    DmaCopy  a[i], A.reshape(KT, TK, M).permute(1, 0, 2)[:, :, m*TM : +TM]  post a[p]  after multiplied[p - 2]
.end

@scalar
.for n in 0..NT
.const j = n % 2
    ; the buffer is free when all pieces of column n - 2 are multiplied
    DmaCopy  b[j], B.reshape(KT, TK, N).permute(1, 0, 2)[:, :, n*TN : +TN], queue=1  post b[n]  after multiplied[(n - 1) * MT - 1]
.end

; ------------------------------------------------------------------------------ matmuls
; The first matmul of a piece overwrites its bank, so it waits until Vector has taken what the bank
; held; the others add to it. Instructions of a queue complete in order: the EventSemaphore behind
; them posts when the last of them has written.
@tensor
.for p in 0..PIECES
.const n = p // MT, i = p % 2, j = n % 2
    EventSemaphore                 after b[n], a[p], copied[p - 2]
.for k in 0..KT
    LoadStationary  a[i][:, k, :]
    MultiplyMoving  acc[i], b[j][:, k, :], accumulate=(k > 0)
.end
    EventSemaphore                 post multiplied[p]
.end

; ------------------------------------------------------------------------------ pieces go out
; DMA does not read PSUM here: Vector copies a bank to SBUF, which frees it for the next piece but
; one, and GpSimd starts the store.
@vector
.for p in 0..PIECES
.const i = p % 2
    ; c[i] is free when piece p - 2 is stored
    TensorCopy  c[i], acc[i]       after multiplied[p], stored[p - 2]   post copied[p]
.end

@gpsimd
.for p in 0..PIECES
.const m = p % MT, n = p // MT, i = p % 2
    DmaCopy  C[m*TM : +TM, n*TN : +TN], c[i]   after copied[p]   post stored[p]
.end
    .drain

; Products of bfloat16 are exact in float32; only the order in which float32 sums them differs.
.expect  C ~ A.T @ B   rtol=1e-5 atol=1e-3
