; C = X @ W + (X @ A) @ B in float32, the columns of W before rows until C is transposed back
;
; Sequential: run it with --autosync. X is transposed twice in tiles of 128 x 512: for A, and for W,
; where they are stored. Then, for each 1,024 columns of W, the products with B are stored; for each KP
; tiles of W and each 512 rows, the transpose of X is loaded, and Vector adds a group of KP products to
; each of 8 sums, which are loaded and stored again. At last it adds the products with B, and Tensor
; transposes the sums back, four into a bank of PSUM.
.target trn1
.const M = 4096, N = 12288, KT = 40, KP = 10
.const SLICES = M // 512, PASSES = KT // KP

.assert M > 0 and M % 512 == 0, "M must be a multiple of 512, the rows of a product"
.assert N > 0 and N % 1024 == 0, "N must be a multiple of 1024, the columns of a tile of W"
.assert KP > 0 and KT % KP == 0 and KT % 8 == 0, "KT must be a multiple of KP and of 8, the tiles of a row of X"

.hbm   X  f32[M, KT * 128]  input = normal(seed=1)
.hbm   W  f32[KT * 128, N]  input = normal(seed=2)
.hbm   A  f32[KT * 128, 128]  input = normal(seed=3)
.hbm   B  f32[128, N]       input = normal(seed=4)
.hbm   C  f32[M, N]         output
.hbm   TURNED  f32[KT * 128, M]  ; the transpose of X
.hbm   OTHER   f32[1024, M]      ; of the columns of (X @ A) @ B
.hbm   SUMS    f32[1024, M]      ; of those of X @ W
.sbuf  identity  f32[128, 128]
.for i in 0..KT
.sbuf  a{i}     f32[128, 128]
.end
.for i in 0..SLICES
.sbuf  xa{i}    f32[128, 512]    ; the transpose of X @ A
.end
.for i in 0..20
.sbuf  wide{i}  f32[128, 1024]   ; tiles of X, of B and of W
.sbuf  x{i}     f32[128, 512]    ; tiles of the transpose
.end
.for i in 0..6
.sbuf  sum{i}   f32[128, 512]
.end
.for i in 0..2
.sbuf  other{i}   f32[128, 512]
.sbuf  out{i}     f32[128, 512]
.psum  turned{i}  f32[128, 512] @ bank i
.end
.for i in 0..6
.psum  acc{i}  f32[128, 512] @ bank 2 + i
.end

; The tiles of a slice and of 8 columns of tiles: x{from} and after it
.macro turn(slice, piece, set)
.for q in 0..4
@sync    DmaCopy         wide{set * 4 + q}, X[slice*512 + q*128 : +128, piece*1024 : +1024]
.end
.for k in 0..8
.for q in 0..4
@tensor  LoadStationary  wide{set * 4 + q}[:, k*128 : +128], is_transpose=true
@tensor  MultiplyMoving  turned{k % 2}[:, q*128 : +128], identity, is_transpose=true, is_moving_onezero=true
.end
@scalar  Activation      x{set * 8 + k}, turned{k % 2}, op=copy
.end
.end

@gpsimd  Memset        identity, 1.0
@gpsimd  AffineSelect  identity, identity, [[-1, 128]], 1, 0.0, cmp_op=equal

; ------------------------------------------------------------------------------ X @ A, transposed
.for k in 0..KT
@sync    DmaCopy         a{k}, A[k*128 : +128]
.end
.for slice in 0..SLICES
.for piece in 0..KT // 8
.const set = (slice * KT // 8 + piece) % 2
turn(slice, piece, set)
.for k in 0..8
@tensor  LoadStationary  a{piece*8 + k}
@tensor  MultiplyMoving  acc{slice % 6}, x{set * 8 + k}, accumulate=(piece + k > 0)
.end
.end
@scalar  Activation      xa{slice}, acc{slice % 6}, op=copy
.end

; ------------------------------------------------------------------------------ the transpose of X
.for slice in 0..SLICES
.for piece in 0..KT // 8
.const set = (slice * KT // 8 + piece) % 2
turn(slice, piece, set)
.for k in 0..8
@gpsimd  DmaCopy         TURNED[piece*1024 + k*128 : +128, slice*512 : +512], x{set * 8 + k}
.end
.end
.end

; ------------------------------------------------------------------------------ columns of C
.for column in 0..N // 1024
@sync    DmaCopy         wide0, B[:, column*1024 : +1024]
.for slice in 0..SLICES
.for f in 0..8
.const bank = (slice * 8 + f) % 6
@tensor  LoadStationary  wide0[:, f*128 : +128]
@tensor  MultiplyMoving  acc{bank}, xa{slice}
@scalar  Activation      out{f % 2}, acc{bank}, op=copy
@gpsimd  DmaCopy         OTHER[f*128 : +128, slice*512 : +512], out{f % 2}
.end
.end
.for p in 0..PASSES
.const w = (column * PASSES + p) % 2 * KP
.for k in 0..KP
@sync    DmaCopy         wide{w + k}, W[(p*KP + k)*128 : +128, column*1024 : +1024]
.end
.for slice in 0..SLICES
.const first = slice % 2 * KP
.for k in 0..KP
@sync    DmaCopy         x{first + k}, TURNED[(p*KP + k)*128 : +128, slice*512 : +512]
.end
.for f in 0..8
.const i = (slice * 8 + f) % 6
.if p == 0
@vector  Memset          sum{i}, 0.0
.else
@sync    DmaCopy         sum{i}, SUMS[f*128 : +128, slice*512 : +512]
.end
.for k in 0..KP
@tensor  LoadStationary  wide{w + k}[:, f*128 : +128]
@tensor  MultiplyMoving  acc{i}, x{first + k}, accumulate=(k > 0)
.end
@vector  TensorTensor    sum{i}, sum{i}, acc{i}, op=add
@gpsimd  DmaCopy         SUMS[f*128 : +128, slice*512 : +512], sum{i}
.end
.end
.end
.for slice in 0..SLICES
.for f in 0..8
.const i = (slice * 8 + f) % 6, j = f % 2
@sync    DmaCopy         sum{i}, SUMS[f*128 : +128, slice*512 : +512]
@sync    DmaCopy         other{j}, OTHER[f*128 : +128, slice*512 : +512]
@vector  TensorTensor    sum{i}, sum{i}, other{j}, op=add
.for q in 0..4
@tensor  LoadStationary  sum{i}[:, q*128 : +128], is_transpose=true
@tensor  MultiplyMoving  turned{j}[:, q*128 : +128], identity, is_transpose=true, is_moving_onezero=true
.end
@scalar  Activation      out{j}, turned{j}, op=copy
.for q in 0..4
@gpsimd  DmaCopy         C[slice*512 + q*128 : +128, column*1024 + f*128 : +128], out{j}[:, q*128 : +128]
.end
.end
.end
.end
.expect  C ~ X @ W + (X @ A) @ B  rtol=1e-4 atol=1e-2
