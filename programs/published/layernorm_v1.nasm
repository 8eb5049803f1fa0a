; Y = (X - mean) / sqrt(variance + EPSILON) * GAMMA + BETA, row by row, 128 rows at a time, float32.
; The variance is the mean of the squares less the square of the mean: Scalar squares, Vector adds.
; GAMMA and BETA are loaded as rows. Tensor spreads them over 128 partitions into PSUM, 512 columns
; at a time, and Scalar copies them to SBUF, once. Tiles of X and Y exist twice; squares are written
; where the tile's result will be.
.target trn2
.const ROWS = 256, COLUMNS = 1024, EPSILON = 1e-5
.const TILES = ROWS // 128, WIDTH = 512, PIECES = COLUMNS // WIDTH
.assert ROWS > 0 and ROWS % 128 == 0, "ROWS must be a multiple of 128, the partitions"
.assert COLUMNS > 0 and COLUMNS % WIDTH == 0, "COLUMNS must be a multiple of 512, of a PSUM bank"

.hbm  X      f32[ROWS, COLUMNS]  input = random(seed=1)
.hbm  GAMMA  f32[2, COLUMNS]     input = normal(seed=2)   ; and BETA, its second row
.hbm  Y      f32[ROWS, COLUMNS]  output

.sbuf  ones   f32[1, 128]
.sbuf  all0   f32[128, COLUMNS]    ; GAMMA; its first row is loaded, the others are made of it
.sbuf  all1   f32[128, COLUMNS]    ; BETA
.for i in 0..2
.sbuf  x{i}     f32[128, COLUMNS]
.sbuf  y{i}     f32[128, COLUMNS]
.sbuf  mean{i}  f32[128, 1]        ; first the sum
.sbuf  both{i}  f32[128, 1]        ; its square
.sbuf  var{i}   f32[128, 1]        ; first the sum of squares
.sbuf  rstd{i}  f32[128, 1]
.psum  wide{i}  f32[128, WIDTH]
.sem   x_in{i}, stored{i}
.end
.sem   ready, rows_in, spread, copied, squared, varied, rooted, normed, done

; ------------------------------------------------------------------------------ loads, by Sync
@sync
    DmaCopy  all0[0:1], GAMMA[0:1]  $rows_in += 16
    DmaCopy  all1[0:1], GAMMA[1:2]  $rows_in += 16
.for t in 0..TILES
.const i = t % 2
    ; the tile before the last in this buffer is normalised
    DmaCopy  x{i}, X[t*128 : +128]  $normed >= max(0, t - 1)  $x_in{i} += 16
.end

; ------------------------------------------------------------------------------ rows, once
@gpsimd  Memset  ones, 1.0  $ready++
@tensor
    EventSemaphore        $rows_in >= 32
    LoadStationary  ones  $ready >= 1
.for k in 0..2
.for p in 0..PIECES
.const n = k * PIECES + p, w = n % 2
    MultiplyMoving  wide{w}, all{k}[0:1, p*WIDTH : +WIDTH]  $copied >= max(0, n - 1)  $spread++
.end
.end

@scalar
.for k in 0..2
.for p in 0..PIECES
.const n = k * PIECES + p, w = n % 2
    TensorCopy  all{k}[:, p*WIDTH : +WIDTH], wide{w}  $spread >= n + 1  $copied++
.end
.end

; ------------------------------------------------------------------------------ squares and roots
; Squares of a tile are made before the root of the one before is asked for.
.for t in 0..TILES
.const i = t % 2
    EventSemaphore                     $stored{i} >= 16 * (t // 2)
    Activation  y{i}, x{i}, op=square  $x_in{i} >= 16 * (t // 2 + 1)  $squared++
.if t > 0
.const j = (t - 1) % 2
    Activation  rstd{j}, var{j}, op=rsqrt, bias=EPSILON  $varied >= t  $rooted++
.end
.end
.const last = (TILES - 1) % 2
    Activation  rstd{last}, var{last}, op=rsqrt, bias=EPSILON  $varied >= TILES  $rooted++

; ------------------------------------------------------------------------------ the rest, by Vector
@vector
.for t in 0..TILES
.const i = t % 2
    TensorReduce  mean{i}, x{i}, op=add, axis=1                  $x_in{i} >= 16 * (t // 2 + 1)
    TensorReduce  var{i}, y{i}, op=add, axis=1                   $squared >= t + 1
    TensorScalar  mean{i}, mean{i}, op0=multiply, operand0=1 / COLUMNS
    TensorTensor  both{i}, mean{i}, mean{i}, op=multiply
    TensorScalar  var{i}, var{i}, op0=multiply, operand0=1 / COLUMNS, op1=subtract, operand1=both{i}            $varied++
    TensorScalar  y{i}, x{i}, op0=subtract, operand0=mean{i}, op1=multiply, operand1=rstd{i}  $rooted >= t + 1  $normed++
.if t == 0
    EventSemaphore                                               $copied >= 2 * PIECES
.end
    TensorTensor  y{i}, y{i}, all0, op=multiply
    TensorTensor  y{i}, y{i}, all1, op=add                                        $done++
.end

; ------------------------------------------------------------------------------ stores, by GpSimd
@gpsimd
.for t in 0..TILES
.const i = t % 2
    DmaCopy  Y[t*128 : +128], y{i}, queue=1  $done >= t + 1  $stored{i} += 16
.end
    EventSemaphore  $stored0 >= 16 * ceil_div(TILES, 2)
    EventSemaphore  $stored1 >= 16 * (TILES // 2)
