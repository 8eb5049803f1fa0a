; Mamba, version 2: for every tile of 128 channels, for every state,
;     out += C * scan(exp(delta * A), delta * u * B)
; over SEQ positions, all in float32. delta and u are loaded once for each tile, and multiplied once.
; B and C of a state are a row each. Tensor spreads them over 128 partitions into PSUM, 512 columns
; to a bank, from where Vector reads them.
;
; A step is a state of a tile, a piece is 512 positions of a step. Of PSUM four pieces of B and four
; of C take all eight banks; the rows have four buffers too, everything else has two.
.target trn1
.const CHANNELS = 256, SEQ = 512, STATES = 16
.const TILES = CHANNELS // 128, STEPS = STATES * TILES
.const WIDTH = min(SEQ, 512), PIECES = SEQ // WIDTH, AHEAD = 4
.assert CHANNELS > 0 and CHANNELS % 128 == 0, "CHANNELS must be a multiple of 128, the partitions"
.assert SEQ > 0 and SEQ % WIDTH == 0, "SEQ must be at most 512, or a multiple of it"
.assert STATES >= 3 or TILES == 1, "STATES must be at least 3: at step 2 the next tile is loaded"
.assert PIECES <= AHEAD, "SEQ must be at most 2048, so that C of a step fits PSUM: see mamba_v2_long.nasm"

.hbm  DELTA  f32[CHANNELS, SEQ]     input = random(seed=1)
.hbm  U      f32[CHANNELS, SEQ]     input = normal(seed=2)
.hbm  A      f32[CHANNELS, STATES]  input = zeros   ; no decay; below 0 it decays
.hbm  B      f32[STATES, SEQ]       input = normal(seed=4)
.hbm  C      f32[STATES, SEQ]       input = normal(seed=5)
.hbm  OUT    f32[CHANNELS, SEQ]     output

.sbuf  ones   f32[1, 128]
.sbuf  both   f32[128, SEQ]            ; delta * u
.sbuf  enter  f32[128, SEQ]            ; that times B
.sbuf  state  f32[128, SEQ]            ; what the scan makes
.sbuf  part   f32[128, SEQ]            ; that times C
.for i in 0..2
.sbuf  delta{i}  f32[128, SEQ]
.sbuf  u{i}      f32[128, SEQ]
.sbuf  sum{i}    f32[128, SEQ]
.sbuf  a{i}      f32[128, 1]
.sbuf  decay{i}  f32[128, SEQ]         ; exp(delta * A)
.sem   delta_in{i}, u_in{i}, a_in{i}, stored{i}
.end
.for i in 0..AHEAD
.sbuf  b{i}       f32[1, SEQ]
.sbuf  c{i}       f32[1, SEQ]
.psum  wide_b{i}  f32[128, WIDTH]
.psum  wide_c{i}  f32[128, WIDTH]
.sem   rows_in{i}
.end
.sem   ready, spread_b, spread_c, decayed, mixed, entered, scanned, parted, summed

; ------------------------------------------------------------------------------ loads, by Sync
; delta and u of a tile are loaded while Vector works on the tile before.
@sync
    DmaCopy  delta0, DELTA[0 : +128]  $delta_in0 += 16
    DmaCopy  u0, U[0 : +128]          $u_in0 += 16
.for t in 0..TILES
.for s in 0..STATES
.const n = t * STATES + s, i = n % 2, j = n % AHEAD, next = t + 1, k = (t + 1) % 2
    DmaCopy  b{j}, B[s : +1]                $spread_c >= max(0, n - AHEAD + 1) * PIECES  $rows_in{j} += 16
    DmaCopy  c{j}, C[s : +1]                                                             $rows_in{j} += 16
    DmaCopy  a{i}, A[t*128 : +128, s : +1]  $decayed >= max(0, n - 1)                    $a_in{i} += 16
.if s == 2 and next < TILES
    DmaCopy  delta{k}, DELTA[next*128 : +128]  $mixed >= t  $delta_in{k} += 16
    DmaCopy  u{k}, U[next*128 : +128]                       $u_in{k} += 16
.end
.end
.end

; ------------------------------------------------------------------------------ rows, by Tensor
@tensor
    LoadStationary  ones  $ready >= 1
.for n in 0..STEPS
.const j = n % AHEAD
    EventSemaphore  $rows_in{j} >= 32 * (n // AHEAD + 1)
.for q in 0..PIECES
.const m = n * PIECES + q, w = m % AHEAD
    MultiplyMoving  wide_b{w}, b{j}[:, q*WIDTH : +WIDTH]  $entered >= max(0, m - AHEAD + 1)  $spread_b++
    MultiplyMoving  wide_c{w}, c{j}[:, q*WIDTH : +WIDTH]  $parted >= max(0, m - AHEAD + 1)   $spread_c++
.end
.end

; ------------------------------------------------------------------------------ decay, by Scalar
@scalar
.for t in 0..TILES
.const k = t % 2
    EventSemaphore  $delta_in{k} >= 16 * (t // 2 + 1)
.for s in 0..STATES
.const n = t * STATES + s, i = n % 2
    EventSemaphore  $a_in{i} >= 16 * (n // 2 + 1)
    Activation  decay{i}, delta{k}, op=exp, scale=a{i}  $scanned >= max(0, n - 1)  $decayed++
.end
.end

; ------------------------------------------------------------------------------ the rest, by Vector
@vector
    Memset  ones, 1.0  $ready++
.for t in 0..TILES
.const k = t % 2, round = t // 2
    Memset        sum{k}, 0.0                        $stored{k} >= 16 * round
    EventSemaphore                                   $delta_in{k} >= 16 * (round + 1)
    TensorTensor  both, delta{k}, u{k}, op=multiply  $u_in{k} >= 16 * (round + 1)  $mixed++
.for s in 0..STATES
.const n = t * STATES + s, i = n % 2
.for q in 0..PIECES
.const m = n * PIECES + q, w = m % AHEAD, from = q * WIDTH
    TensorTensor  enter[:, from : +WIDTH], both[:, from : +WIDTH], wide_b{w}, op=multiply  $spread_b >= m + 1  $entered++
.end
    TensorTensorScan  state, decay{i}, enter, 0.0, op0=multiply, op1=add  $decayed >= n + 1  $scanned++
.for q in 0..PIECES
.const m = n * PIECES + q, w = m % AHEAD, from = q * WIDTH
    TensorTensor  part[:, from : +WIDTH], state[:, from : +WIDTH], wide_c{w}, op=multiply  $spread_c >= m + 1  $parted++
.end
    TensorTensor  sum{k}, sum{k}, part, op=add  $summed++
.end
.end

; ------------------------------------------------------------------------------ stores, by GpSimd
@gpsimd
.for t in 0..TILES
.const k = t % 2
    DmaCopy  OUT[t*128 : +128], sum{k}, queue=1  $summed >= (t + 1) * STATES  $stored{k} += 16
.end
    EventSemaphore  $stored0 >= 16 * ceil_div(TILES, 2)
    EventSemaphore  $stored1 >= 16 * (TILES // 2)
