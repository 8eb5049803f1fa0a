; C[M,N] = (X / rms of its rows) @ W in float32, in blocks of 1,024 rows and 1,024 columns
;
; Sequential: run it with --autosync. A tile of 128 rows is squared by Scalar, summed up by Vector,
; scaled by Scalar and transposed by Tensor, four transposes into a bank of PSUM, which Scalar copies.
; During each of the first rows of products a tile of the next block is scaled; it is transposed after
; them. Of the tiles of W the first KEPT stay on the chip, the others are loaded for each block.
.target trn1
.const M = 4096, N = 2048, KEPT = 7
.const BLOCKS = M // 1024, COLUMNS = N // 1024

.assert M > 0 and M % 1024 == 0, "M must be a multiple of 1024, the rows of a block"
.assert N > 0 and N % 1024 == 0, "N must be a multiple of 1024, the columns of a tile of W"

.hbm   X  f32[M, 1024]  input = normal(seed=1)
.hbm   W  f32[1024, N]  input = normal(seed=2)
.hbm   C  f32[M, N]     output
.sbuf  identity  f32[128, 128]
.sbuf  zero      f32[128, 1]
.for i in 0..8 * COLUMNS
.sbuf  w{i}  f32[128, 1024]
.end
.for i in 0..16
.sbuf  x{i}  f32[128, 1024]         ; scaled and transposed
.end
.for i in 0..2
.sbuf  rows{i}    f32[128, 1024]
.sbuf  squares{i} f32[128, 512]
.sbuf  scaled{i}  f32[128, 1024]
.sbuf  sum{i}     f32[128, 1]
.sbuf  other{i}   f32[128, 1]
.sbuf  root{i}    f32[128, 1]
.sbuf  c{i}       f32[128, 1024]
.psum  turned{i}  f32[128, 512] @ bank i
.end
.for i in 0..6
.psum  acc{i}  f32[128, 512] @ bank 2 + i
.end

.macro scale(t)
.const i = t % 2
@sync    DmaCopy             rows{i}, X[t*128 : +128]
@scalar  Activation          squares0, rows{i}[:, 0 : 512], op=square, bias=zero
@vector  TensorScalarReduce  squares0, squares0, op0=multiply, operand0=1 / 1024, reduce_op=add, reduce_res=sum{i}
@scalar  Activation          squares1, rows{i}[:, 512 : 1024], op=square, bias=zero
@vector  TensorScalarReduce  squares1, squares1, op0=multiply, operand0=1 / 1024, reduce_op=add, reduce_res=other{i}
@vector  TensorTensor        sum{i}, sum{i}, other{i}, op=add
@scalar  Activation          root{i}, sum{i}, op=rsqrt, bias=zero
.for q in 0..2
@scalar  Activation          scaled{i}[:, q*512 : +512], rows{i}[:, q*512 : +512], op=copy, scale=root{i}
.end
.end

.macro turn(t)
.const i = t % 2
.for q in 0..2
.for n in q*4..q*4 + 4
@tensor  LoadStationary      scaled{i}[:, n*128 : +128], is_transpose=true
@tensor  MultiplyMoving      turned{q}[:, n % 4 * 128 : +128], identity, is_transpose=true, is_moving_onezero=true
.end
@scalar  Activation          x{t % 16}[:, q*512 : +512], turned{q}, op=copy
.end
.end

@gpsimd  Memset        identity, 1.0
@gpsimd  AffineSelect  identity, identity, [[-1, 128]], 1, 0.0, cmp_op=equal
@gpsimd  Memset        zero, 0.0
.for t in 0..8
scale(t)
turn(t)
.end
.for block in 0..BLOCKS
.for column in 0..COLUMNS
.for k in 0..8
.const i = column * 8 + k
.if block == 0 or i >= KEPT
@sync    DmaCopy         w{i}, W[k*128 : +128, column*1024 : +1024]
.end
.end
.for m in 0..8
.const r = (block * COLUMNS + column) * 8 + m
.if column == 0 and block < BLOCKS - 1
scale(block*8 + 8 + m)
.end
.for half in 0..2
.const bank = (r * 2 + half) % 6
.for k in 0..8
@tensor  LoadStationary  x{(block * 8 + m) % 16}[:, k*128 : +128]
@tensor  MultiplyMoving  acc{bank}, w{column * 8 + k}[:, half*512 : +512], accumulate=(k > 0)
.end
@scalar  Activation      c{r % 2}[:, half*512 : +512], acc{bank}, op=copy
.end
@gpsimd  DmaCopy         C[block*1024 + m*128 : +128, column*1024 : +1024], c{r % 2}
.if column == 0 and block < BLOCKS - 1
turn(block*8 + 8 + m)
.end
.end
.end
.end
.expect  C ~ (X / sqrt(sum(X * X, axis=1).reshape(M, 1) / 1024)) @ W  rtol=1e-4 atol=1e-3
