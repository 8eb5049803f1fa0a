; C[b] = A[b] @ B[b] for BATCHES of [M,64] @ [64,N] in float32: small products, large results
;
; Sequential: run it with --autosync. For each batch B is loaded, and A in tiles of 128 rows, which
; Tensor transposes, four into a bank of PSUM. Then for each 1,024 columns of B and each 128 rows of A
; two products make a row of the result, which Scalar copies out of PSUM and GpSimd stores.
.target trn1
.const BATCHES = 16, M = 4096, N = 4096
.const TILES = M // 128

.assert M > 0 and M % 512 == 0, "M must be a multiple of 512, the rows that fill a bank of PSUM"
.assert N > 0 and N % 1024 == 0, "N must be a multiple of 1024, the columns that are stored"
.assert BATCHES > 0, "BATCHES must be at least 1"

.hbm   A  f32[BATCHES, M, 64]  input = normal(seed=1)
.hbm   B  f32[BATCHES, 64, N]  input = normal(seed=2)
.hbm   C  f32[BATCHES, M, N]   output
.sbuf  identity  f32[128, 128]
.for i in 0..2
.sbuf  rows{i}    f32[128, TILES, 64]
.sbuf  a{i}       f32[64, M]             ; transposed
.sbuf  b{i}       f32[64, N]
.psum  turned{i}  f32[64, 512] @ bank i
.end
.for i in 0..4
.sbuf  c{i}  f32[128, 1024]
.end
.for i in 0..6
.psum  acc{i}  f32[128, 512] @ bank 2 + i
.end

@gpsimd  Memset        identity, 1.0
@gpsimd  AffineSelect  identity, identity, [[-1, 128]], 1, 0.0, cmp_op=equal
.for n in 0..BATCHES
.const i = n % 2
.for t in 0..TILES
@sync    DmaCopy         rows{i}[:, t], A[n, t*128 : +128]
.end
@sync    DmaCopy         b{i}, B[n]
.for q in 0..TILES // 4
.for t in q*4..q*4 + 4
@tensor  LoadStationary  rows{i}[:, t], is_transpose=true
@tensor  MultiplyMoving  turned{q % 2}[:, t % 4 * 128 : +128], identity, is_transpose=true, is_moving_onezero=true
.end
@scalar  Activation      a{i}[:, q*512 : +512], turned{q % 2}, op=copy
.end
.for column in 0..N // 1024
.for t in 0..TILES
.const row = (n * N // 1024 + column) * TILES + t
.for half in 0..2
.const bank = (row * 2 + half) % 6
@tensor  LoadStationary  a{i}[:, t*128 : +128]
@tensor  MultiplyMoving  acc{bank}, b{i}[:, column*1024 + half*512 : +512]
@scalar  Activation      c{row % 4}[:, half*512 : +512], acc{bank}, op=copy
.end
@gpsimd  DmaCopy         C[n, t*128 : +128, column*1024 : +1024], c{row % 4}
.end
.end
.end
.expect  C ~ A @ B  rtol=1e-4 atol=1e-3
