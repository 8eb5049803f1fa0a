; C = (silu(X @ GATE) * (X @ UP)) @ DOWN in float32, features before rows until the last product
;
; Sequential: run it with --autosync. For each 1,024 features and each 512 rows of X, transposed, there
; are 8 products of 8 tiles with GATE and as many with UP. Scalar and Vector make the activated features
; of these, which are stored. X is transposed for the first features, and its transpose stored, to be
; loaded again for the others. Then, for each 512 rows, the features are loaded again and multiplied by
; DOWN.
.target trn1
.const M = 4096, N = 3072
.const BLOCKS = N // 1024, SLICES = M // 512, FEATURES = N // 128

.assert M > 0 and M % 512 == 0, "M must be a multiple of 512, the rows of a product"
.assert N > 0 and N % 1024 == 0, "N must be a multiple of 1024, the features of a tile of weights"

.hbm   X      f32[M, 1024]  input = normal(seed=1)
.hbm   UP     f32[1024, N]  input = normal(seed=2)
.hbm   DOWN   f32[N, 1024]  input = normal(seed=3)
.hbm   GATE   f32[1024, N]  input = normal(seed=4)
.hbm   C      f32[M, 1024]  output
.hbm   TURNED   f32[1024, M]     ; the transpose of X
.hbm   FEATURE  f32[N, M]        ; the activated features
.sbuf  identity  f32[128, 128]
.for i in 0..max(16, FEATURES)
.sbuf  w{i}  f32[128, 1024]      ; tiles of GATE and UP, then of DOWN
.end
.for i in 0..FEATURES + 8
.sbuf  x{i}  f32[128, 512]       ; tiles of X transposed, in turns of 8, then of features
.end
.for i in 0..2
.sbuf  rows{i}  f32[128, 1024]   ; tiles of X, then of C
.sbuf  gate{i}  f32[128, 512]
.sbuf  act{i}   f32[128, 512]    ; exp(-gate), 1 + that, its inverse, gate times that, and times up
.psum  turned{i}  f32[128, 512] @ bank i
.end
.sbuf  zero  f32[128, 1]
.for i in 0..3
.psum  gates{i}  f32[128, 512] @ bank 2 + i
.psum  ups{i}    f32[128, 512] @ bank 5 + i
.end

@gpsimd  Memset        identity, 1.0
@gpsimd  AffineSelect  identity, identity, [[-1, 128]], 1, 0.0, cmp_op=equal
@gpsimd  Memset        zero, 0.0

; ------------------------------------------------------------------------------ features
.for block in 0..BLOCKS
.for k in 0..8
@sync    DmaCopy         w{k}, GATE[k*128 : +128, block*1024 : +1024]
@sync    DmaCopy         w{8 + k}, UP[k*128 : +128, block*1024 : +1024]
.end
.for slice in 0..SLICES
.const first = (block * SLICES + slice) % 2 * 8
.if block == 0
.for q in 0..4
.const r = slice * 4 + q
@sync    DmaCopy         rows{r % 2}, X[r*128 : +128]
.for k in 0..8
@tensor  LoadStationary  rows{r % 2}[:, k*128 : +128], is_transpose=true
@tensor  MultiplyMoving  turned{k // 4}[:, k % 4 * 128 : +128], identity, is_transpose=true, is_moving_onezero=true
.if k % 4 == 3
.for n in k - 3..k + 1
@scalar  Activation      x{first + n}[:, q*128 : +128], turned{k // 4}[:, n % 4 * 128 : +128], op=copy
.end
.end
.end
.end
.for k in 0..8
@gpsimd  DmaCopy         TURNED[k*128 : +128, slice*512 : +512], x{first + k}
.end
.else
.for k in 0..8
@sync    DmaCopy         x{first + k}, TURNED[k*128 : +128, slice*512 : +512]
.end
.end
.for f in 0..8
.const g = (block * SLICES + slice) * 8 + f, i = g % 2, bank = g % 3
.for k in 0..8
@tensor  LoadStationary  w{k}[:, f*128 : +128]
@tensor  MultiplyMoving  gates{bank}, x{first + k}, accumulate=(k > 0)
.end
.for k in 0..8
@tensor  LoadStationary  w{8 + k}[:, f*128 : +128]
@tensor  MultiplyMoving  ups{bank}, x{first + k}, accumulate=(k > 0)
.end
@scalar  Activation      gate{i}, gates{bank}, op=copy
@scalar  Activation      act{i}, gate{i}, op=exp, scale=-1.0, bias=zero
@vector  TensorScalar    act{i}, act{i}, op0=add, operand0=1.0
@scalar  Activation      act{i}, act{i}, op=reciprocal
@vector  TensorTensor    act{i}, gate{i}, act{i}, op=multiply
@vector  TensorTensor    act{i}, act{i}, ups{bank}, op=multiply
@gpsimd  DmaCopy         FEATURE[block*1024 + f*128 : +128, slice*512 : +512], act{i}
.end
.end
.end

; ------------------------------------------------------------------------------ the last product
.for f in 0..FEATURES
@sync    DmaCopy         w{f}, DOWN[f*128 : +128]
.end
.for slice in 0..SLICES
.const first = slice * FEATURES
.for f in 0..FEATURES
@sync    DmaCopy         x{(first + f) % (FEATURES + 8)}, FEATURE[f*128 : +128, slice*512 : +512]
.end
.for q in 0..4
.const r = slice * 4 + q
.for half in 0..2
.const bank = (r * 2 + half) % 3
.for f in 0..FEATURES
@tensor  LoadStationary  x{(first + f) % (FEATURES + 8)}[:, q*128 : +128]
@tensor  MultiplyMoving  gates{bank}, w{f}[:, half*512 : +512], accumulate=(f > 0)
.end
@scalar  Activation      rows{r % 2}[:, half*512 : +512], gates{bank}, op=copy
.end
@gpsimd  DmaCopy         C[r*128 : +128], rows{r % 2}
.end
.end
.expect  C ~ ((X @ GATE) / (1 + exp(-(X @ GATE))) * (X @ UP)) @ DOWN  rtol=1e-3 atol=1e-1
