; Mamba, version 1: for every state, for every tile of 128 channels,
;     out += C * scan(exp(delta * A), delta * u * B)
; over SEQ positions, all in float32. B and C of a state are a row each. Tensor spreads them over
; 128 partitions into PSUM, from where Vector reads them. Sums stay in SBUF until the last state.
;
; With RELOAD delta and u are loaded for every state, into one of two buffers; without, they stay.
; A step is a state of a tile; its tiles exist twice.
.target trn1
.const CHANNELS = 256, SEQ = 512, STATES = 16, RELOAD = 1
.const TILES = CHANNELS // 128, STEPS = STATES * TILES
.const KEPT = RELOAD * 2 + (1 - RELOAD) * TILES
.assert CHANNELS > 0 and CHANNELS % 128 == 0, "CHANNELS must be a multiple of 128, the partitions"
.assert 0 < SEQ and SEQ <= 512, "SEQ must be at most 512, the columns of a PSUM bank in float32"

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
.for t in 0..TILES
.sbuf  sum{t}  f32[128, SEQ]
.end
.for i in 0..KEPT
.sbuf  delta{i}  f32[128, SEQ]
.sbuf  u{i}      f32[128, SEQ]
.sem   delta_in{i}, u_in{i}
.end
.for i in 0..2
.sbuf  a{i}       f32[128, 1]
.sbuf  b{i}       f32[1, SEQ]
.sbuf  c{i}       f32[1, SEQ]
.sbuf  decay{i}   f32[128, SEQ]        ; exp(delta * A)
.psum  wide_b{i}  f32[128, SEQ]
.psum  wide_c{i}  f32[128, SEQ]
.sem   a_in{i}, rows_in{i}
.end
.sem   ready, spread, decayed, mixed, scanned, summed, stored

; ------------------------------------------------------------------------------ loads, by Sync
; The rows of a state are loaded a state ahead, the tiles of a step two steps ahead. Scalar and
; Vector have left a buffer when they have done with the last step but one.
@sync
    DmaCopy  b0, B[0:1]  $rows_in0 += 16
    DmaCopy  c0, C[0:1]  $rows_in0 += 16
.for s in 0..STATES
.const next = s + 1, j = (s + 1) % 2
.if next < STATES
    EventSemaphore              $spread >= s
    DmaCopy  b{j}, B[next : +1]  $rows_in{j} += 16
    DmaCopy  c{j}, C[next : +1]  $rows_in{j} += 16
.end
.for t in 0..TILES
.const n = s * TILES + t, i = n % 2, k = RELOAD * i + (1 - RELOAD) * t
    EventSemaphore                                     $decayed >= max(0, n - 1)
.if RELOAD or s == 0
    DmaCopy  delta{k}, DELTA[t*128 : +128]  $mixed >= RELOAD * max(0, n - 1)  $delta_in{k} += 16
    DmaCopy  u{k}, U[t*128 : +128]                                            $u_in{k} += 16
.end
    DmaCopy  a{i}, A[t*128 : +128, s : +1]                                    $a_in{i} += 16
.end
.end

; ------------------------------------------------------------------------------ rows, by Tensor
@tensor
    LoadStationary  ones  $ready >= 1
.for s in 0..STATES
.const j = s % 2
    EventSemaphore                   $rows_in{j} >= 32 * (s // 2 + 1)
    MultiplyMoving  wide_b{j}, b{j}  $summed >= max(0, s - 1) * TILES
    MultiplyMoving  wide_c{j}, c{j}  $spread++
.end

; ------------------------------------------------------------------------------ decay, by Scalar
@scalar
.for s in 0..STATES
.for t in 0..TILES
.const n = s * TILES + t, i = n % 2, k = RELOAD * i + (1 - RELOAD) * t
    EventSemaphore  $a_in{i} >= 16 * (n // 2 + 1)
    EventSemaphore  $delta_in{k} >= 16 * (RELOAD * (n // 2) + 1)
    Activation  decay{i}, delta{k}, op=exp, scale=a{i}  $scanned >= max(0, n - 1)  $decayed++
.end
.end

; ------------------------------------------------------------------------------ the rest, by Vector
@vector
    Memset  ones, 1.0  $ready++
.for t in 0..TILES
    Memset  sum{t}, 0.0
.end
.for s in 0..STATES
.for t in 0..TILES
.const n = s * TILES + t, i = n % 2, j = s % 2, k = RELOAD * i + (1 - RELOAD) * t
    EventSemaphore                                                        $delta_in{k} >= 16 * (RELOAD * (n // 2) + 1)
    TensorTensor      both, delta{k}, u{k}, op=multiply                   $u_in{k} >= 16 * (RELOAD * (n // 2) + 1)  $mixed++
    TensorTensor      enter, both, wide_b{j}, op=multiply                 $spread >= s + 1
    TensorTensorScan  state, decay{i}, enter, 0.0, op0=multiply, op1=add  $decayed >= n + 1                         $scanned++
    TensorTensor      part, state, wide_c{j}, op=multiply
    TensorTensor      sum{t}, sum{t}, part, op=add                                                                  $summed++
.end
.end

; ------------------------------------------------------------------------------ stores, by GpSimd
@gpsimd
.for t in 0..TILES
    DmaCopy  OUT[t*128 : +128], sum{t}, queue=1  $summed >= STEPS - TILES + t + 1  $stored += 16
.end
    EventSemaphore                               $stored >= 16 * TILES
