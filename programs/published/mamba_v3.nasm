; Mamba, version 3: version 2 with the positions cut into pieces of 512. For every tile of 128
; channels, for every state, for every piece,
;     out += C * scan(exp(delta * A), delta * u * B)
; where a scan begins with the last result of the piece before. delta and u are loaded once for each
; tile, and multiplied in the pieces of its first state.
;
; Of PSUM four pieces of B and four of C take all eight banks. Rows have four buffers, what Scalar
; makes of a piece two, and delta, u and sums two where they fit. A step is a state of a tile.
.target trn1
.const CHANNELS = 256, SEQ = 1024, STATES = 16
.const TILES = CHANNELS // 128, STEPS = STATES * TILES
.const WIDTH = min(SEQ, 512), PIECES = SEQ // WIDTH, ALL = STEPS * PIECES, AHEAD = 4
.const HELD = 2 - min(1, SEQ // 5121)    ; buffers for delta, u and sums
.assert CHANNELS > 0 and CHANNELS % 128 == 0, "CHANNELS must be a multiple of 128, the partitions"
.assert SEQ > 0 and SEQ % WIDTH == 0, "SEQ must be at most 512, or a multiple of it"
.assert STATES >= 3 or TILES == 1, "STATES must be at least 3: at step 2 the next tile is loaded"

.hbm  DELTA  f32[CHANNELS, SEQ]     input = random(seed=1)
.hbm  U      f32[CHANNELS, SEQ]     input = normal(seed=2)
.hbm  A      f32[CHANNELS, STATES]  input = zeros   ; no decay; below 0 it decays
.hbm  B      f32[STATES, SEQ]       input = normal(seed=4)
.hbm  C      f32[STATES, SEQ]       input = normal(seed=5)
.hbm  OUT    f32[CHANNELS, SEQ]     output

.sbuf  ones   f32[1, 128]
.sbuf  both   f32[128, SEQ]            ; delta * u
.sbuf  enter  f32[128, WIDTH]          ; that times B
.sbuf  state  f32[128, WIDTH]          ; what the scan makes
.sbuf  last   f32[128, 1]              ; where it ended
.sbuf  part   f32[128, WIDTH]          ; the results times C
.for i in 0..HELD
.sbuf  delta{i}  f32[128, SEQ]
.sbuf  u{i}      f32[128, SEQ]
.sbuf  sum{i}    f32[128, SEQ]
.sem   delta_in{i}, u_in{i}, stored{i}
.end
.for i in 0..2
.sbuf  a{i}      f32[128, 1]
.sbuf  decay{i}  f32[128, WIDTH]       ; exp(delta * A)
.sem   a_in{i}
.end
.for i in 0..AHEAD
.sbuf  b{i}       f32[1, WIDTH]
.sbuf  c{i}       f32[1, WIDTH]
.psum  wide_b{i}  f32[128, WIDTH]
.psum  wide_c{i}  f32[128, WIDTH]
.sem   rows_in{i}
.end
.sem   ready, spread, decayed, mixed, scanned, summed

; ------------------------------------------------------------------------------ loads, by Sync
; delta and u of a tile are loaded as soon as those who read its buffers have done.
@sync
    DmaCopy  delta0, DELTA[0 : +128]  $delta_in0 += 16
    DmaCopy  u0, U[0 : +128]          $u_in0 += 16
.for t in 0..TILES
.const next = t + 1, k = (t + 1) % HELD, free = max(0, t + 2 - HELD) * PIECES
.for s in 0..STATES
.const n = t * STATES + s, i = n % 2
    DmaCopy  a{i}, A[t*128 : +128, s : +1]         $decayed >= max(0, n - 1) * PIECES  $a_in{i} += 16
.for q in 0..PIECES
.const m = n * PIECES + q, j = m % AHEAD
    DmaCopy  b{j}, B[s : +1, q*WIDTH : +WIDTH]     $spread >= max(0, m - AHEAD + 1)    $rows_in{j} += 16
    DmaCopy  c{j}, C[s : +1, q*WIDTH : +WIDTH]                                         $rows_in{j} += 16
.end
.if s == 2 and next < TILES
    DmaCopy  u{k}, U[next*128 : +128]              $mixed >= free                      $u_in{k} += 16
.end
.if s == 2 + (2 - HELD) * (STATES - 3) and next < TILES
    DmaCopy  delta{k}, DELTA[next*128 : +128]      $decayed >= free * STATES           $delta_in{k} += 16
.end
.end
.end

; ------------------------------------------------------------------------------ rows, by Tensor
@tensor
    LoadStationary  ones  $ready >= 1
.for m in 0..ALL
.const j = m % AHEAD
    EventSemaphore                   $rows_in{j} >= 32 * (m // AHEAD + 1)
    MultiplyMoving  wide_b{j}, b{j}  $summed >= max(0, m - AHEAD + 1)
    MultiplyMoving  wide_c{j}, c{j}  $spread++
.end

; ------------------------------------------------------------------------------ decay, by Scalar
@scalar
.for t in 0..TILES
.const k = t % HELD
    EventSemaphore  $delta_in{k} >= 16 * (t // HELD + 1)
.for s in 0..STATES
.const n = t * STATES + s, i = n % 2
    EventSemaphore  $a_in{i} >= 16 * (n // 2 + 1)
.for q in 0..PIECES
.const m = n * PIECES + q, h = m % 2
    Activation  decay{h}, delta{k}[:, q*WIDTH : +WIDTH], op=exp, scale=a{i}  $scanned >= max(0, m - 1)  $decayed++
.end
.end
.end

; ------------------------------------------------------------------------------ the rest, by Vector
@vector
    Memset  ones, 1.0  $ready++
.for t in 0..TILES
.const k = t % HELD, round = t // HELD
    Memset  sum{k}, 0.0    $stored{k} >= 16 * round
    EventSemaphore         $delta_in{k} >= 16 * (round + 1)
    EventSemaphore         $u_in{k} >= 16 * (round + 1)
.for s in 0..STATES
.for q in 0..PIECES
.const m = (t * STATES + s) * PIECES + q, h = m % 2, j = m % AHEAD, from = q * WIDTH
.if s == 0
    TensorTensor  both[:, from : +WIDTH], delta{k}[:, from : +WIDTH], u{k}[:, from : +WIDTH], op=multiply  $mixed++
.end
    TensorTensor  enter, both[:, from : +WIDTH], wide_b{j}, op=multiply  $spread >= m + 1
.if q == 0
    TensorTensorScan  state, decay{h}, enter, 0.0, op0=multiply, op1=add   $decayed >= m + 1  $scanned++
.else
    TensorTensorScan  state, decay{h}, enter, last, op0=multiply, op1=add  $decayed >= m + 1  $scanned++
.end
.if q < PIECES - 1
    TensorCopy    last, state[:, WIDTH - 1 : +1]
.end
    TensorTensor  part, state, wide_c{j}, op=multiply
    TensorTensor  sum{k}[:, from : +WIDTH], sum{k}[:, from : +WIDTH], part, op=add  $summed++
.end
.end
.end

; ------------------------------------------------------------------------------ stores, by GpSimd
@gpsimd
.for t in 0..TILES
.const k = t % HELD
    DmaCopy  OUT[t*128 : +128], sum{k}, queue=1  $summed >= (t + 1) * STATES * PIECES  $stored{k} += 16
.end
.for k in 0..HELD
    EventSemaphore  $stored{k} >= 16 * ceil_div(TILES - k, HELD)
.end
