; C[M,N] = A @ B in float32: B is streamed past every 128 rows of A, which Tensor transposes
;
; Sequential: run it with --autosync. For each 1,024 columns of B and each 128 rows of A the KT / 8
; pieces of these rows are loaded and transposed, four transposes into a bank of PSUM, which Scalar
; copies at once; KT tiles of B are loaded, and each is used for two results of 128 x 512.
.target trn1
.const M = 4096, N = 12288, KT = 40, RING = 20
.const ROWS = M // 128, COLUMNS = N // 1024, PIECES = KT // 8

.assert M > 0 and M % 128 == 0, "M must be a multiple of 128, the rows of a result"
.assert N > 0 and N % 1024 == 0, "N must be a multiple of 1024, the columns of a tile of B"
.assert KT > 0 and KT % 8 == 0, "KT must be a multiple of 8, the tiles of a piece of A"

.hbm   A  f32[M, KT * 128]  input = normal(seed=1)
.hbm   B  f32[KT * 128, N]  input = normal(seed=2)
.hbm   C  f32[M, N]         output
.sbuf  identity  f32[128, 128]
.for i in 0..2 * PIECES
.sbuf  rows{i}  f32[128, 1024]
.sbuf  a{i}     f32[128, 1024]       ; transposed
.end
.for i in 0..RING
.sbuf  b{i}  f32[128, 1024]
.end
.for i in 0..2
.sbuf  c{i}  f32[128, 1024]
.end
.for i in 0..4
.psum  turned{i}  f32[128, 512] @ bank i
.psum  acc{i}     f32[128, 512] @ bank 4 + i
.end

@gpsimd  Memset        identity, 1.0
@gpsimd  AffineSelect  identity, identity, [[-1, 128]], 1, 0.0, cmp_op=equal
.for r in 0..ROWS * COLUMNS
.const row = r % ROWS * 128, column = r // ROWS * 1024
.for p in 0..PIECES
.const i = r % 2 * PIECES + p
@sync    DmaCopy         rows{i}, A[row : +128, p*1024 : +1024]
.for q in 0..2
.const bank = (r * PIECES + p) * 2 % 4 + q
.for n in 0..4
@tensor  LoadStationary  rows{i}[:, q*512 + n*128 : +128], is_transpose=true
@tensor  MultiplyMoving  turned{bank}[:, n*128 : +128], identity, is_transpose=true, is_moving_onezero=true
.end
@scalar  Activation      a{i}[:, q*512 : +512], turned{bank}, op=copy
.end
.end
.for k in 0..KT
.const b = (r * KT + k) % RING
@sync    DmaCopy         b{b}, B[k*128 : +128, column : +1024]
.for half in 0..2
@tensor  LoadStationary  a{r % 2 * PIECES + k // 8}[:, k % 8 * 128 : +128]
@tensor  MultiplyMoving  acc{r % 2 * 2 + half}, b{b}[:, half*512 : +512], accumulate=(k > 0)
.end
.end
.for half in 0..2
@scalar  Activation      c{r % 2}[:, half*512 : +512], acc{r % 2 * 2 + half}, op=copy
.end
@gpsimd  DmaCopy         C[row : +128, column : +1024], c{r % 2}
.end
.expect  C ~ A @ B  rtol=1e-4 atol=1e-3
