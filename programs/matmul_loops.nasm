; C[M,N] = A.T @ B with loops at run time: 11 instruction lines, however large M and N are
; Other sizes: neuron-nasm run programs/matmul_loops.nasm -D M=1024 -D K=1024 -D N=4096
;
; The way of the tiles is that of matmul_tiled.nasm: a block of B serves all pieces of its column,
; a block of A is loaded for each piece, and every buffer exists twice. There `.for` writes out every
; piece; here each engine goes through the loops by itself, and a view such as `m*TM : +TM` starts
; where a register says, which the loop steps.
;
; A register cannot choose between two tiles. `buffers=2` writes two rounds of a loop out, with m and
; m + 1, so that m % 2 is known in each. The innermost loop, over K, is written out as well: Tensor
; would be done with a matmul before it has stepped a register and branched.
;
; Who waits for whom is said by moments. `after piece[m - 2]` is the piece before the last: the one
; that used the same tile; the first two of a column come after the last two of the column before.
; matmul_credits.nasm is what one writes without them.
.target trn2
.const M = 512, K = 512, N = 2048
.const TM = 128, TK = 128, TN = 512
.const MT = M // TM, KT = K // TK, NT = N // TN

.assert M > 0 and M % (2*TM) == 0, "M must be a multiple of 256: two pieces are one round"
.assert K > 0 and K % TK == 0, "K must be a multiple of 128, the partitions of a tile"
.assert N > 0 and N % (2*TN) == 0, "N must be a multiple of 1024: two columns are one round"

.hbm   A  bf16[K, M]  input = normal(seed=1)
.hbm   B  bf16[K, N]  input = normal(seed=2)
.hbm   C  f32[M, N]   output
.view  A_blocks = A.reshape(KT, TK, M).permute(1, 0, 2)   ; as the tiles have them: [128, KT, M]
.view  B_blocks = B.reshape(KT, TK, N).permute(1, 0, 2)

.sbuf  a[2]    bf16[TK, KT, TM]       ; step k of a block is a[:, k, :]
.sbuf  b[2]    bf16[TK, KT, TN]
.psum  acc[2]  f32[TM, TN]
.sbuf  c[2]    f32[TM, TN]

.loop n in 0..NT buffers=2
    @scalar  DmaCopy         b[n % 2], B_blocks[:, :, n*TN : +TN], queue=1     after column[n - 2]                post b_in[n]
    @tensor  EventSemaphore                                                    after b_in[n]
.loop m in 0..MT buffers=2
    @sync    DmaCopy         a[m % 2], A_blocks[:, :, m*TM : +TM]              after piece[m - 2]                 post a_in[m]
    @tensor  EventSemaphore                                                    after a_in[m], copied[m - 2]
.for k in 0..KT
    @tensor  LoadStationary  a[m % 2][:, k, :]
    @tensor  MultiplyMoving  acc[m % 2], b[n % 2][:, k, :], accumulate=(k > 0)
.end
    @tensor  EventSemaphore                                                                                       post piece[m]
    @vector  TensorCopy      c[m % 2], acc[m % 2]                              after piece[m], stored[m - 2]      post copied[m]
    @gpsimd  DmaCopy         C[m*TM : +TM, n*TN : +TN], c[m % 2]               after copied[m]                    post stored[m]
.end
    @tensor  EventSemaphore                                                                                       post column[n]
.end
@gpsimd  .drain

; Products of bfloat16 are exact in float32; only the order in which float32 sums them differs.
.expect  C ~ A.T @ B   rtol=1e-5 atol=1e-3
