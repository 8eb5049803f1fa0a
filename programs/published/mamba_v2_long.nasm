; Mamba, version 2, of sequences too long for two buffers of everything: for every tile of 128
; channels, for every state,
;     out += C * scan(exp(delta * A), delta * u * B)
; over all SEQ positions at once, in float32. SBUF has 192 KiB for each partition, of which 8,192
; positions of one tensor take 32: there is room for five such tensors and for pieces of rows.
;
; So everything has one buffer, and is worked on in place: delta * u where u was; that times B, what
; the scan makes of it, and that times C in one. Rows are loaded and spread in pieces of 512
; positions, first those of B of a step, which the scan needs, then those of C, so that PSUM, which
; has room for four pieces of each, is used again within a step. A step is a state of a tile.
;
; The vendor's compiler spills from SBUF to HBM and back instead: what is published of 8,192 positions
; contains that. Here nothing is spilled.
.target trn1
.const CHANNELS = 256, SEQ = 4096, STATES = 16
.const TILES = CHANNELS // 128, STEPS = STATES * TILES
.const WIDTH = min(SEQ, 512), PIECES = SEQ // WIDTH, AHEAD = 4
.assert CHANNELS > 0 and CHANNELS % 128 == 0, "CHANNELS must be a multiple of 128, the partitions"
.assert SEQ > 0 and SEQ % WIDTH == 0, "SEQ must be at most 512, or a multiple of it"

.hbm  DELTA  f32[CHANNELS, SEQ]     input = random(seed=1)
.hbm  U      f32[CHANNELS, SEQ]     input = normal(seed=2)
.hbm  A      f32[CHANNELS, STATES]  input = zeros   ; no decay; below 0 it decays
.hbm  B      f32[STATES, SEQ]       input = normal(seed=4)
.hbm  C      f32[STATES, SEQ]       input = normal(seed=5)
.hbm  OUT    f32[CHANNELS, SEQ]     output

.sbuf  ones   f32[1, 128]
.sbuf  delta  f32[128, SEQ]
.sbuf  u      f32[128, SEQ]            ; then delta * u
.sbuf  decay  f32[128, SEQ]            ; exp(delta * A)
.sbuf  work   f32[128, SEQ]            ; delta * u * B, then what the scan makes, then that times C
.sbuf  sum    f32[128, SEQ]
.for i in 0..2
.sbuf  a{i}   f32[128, 1]
.sem   a_in{i}
.end
.for i in 0..AHEAD
.sbuf  b{i}       f32[1, WIDTH]
.sbuf  c{i}       f32[1, WIDTH]
.psum  wide_b{i}  f32[128, WIDTH]
.psum  wide_c{i}  f32[128, WIDTH]
.sem   b_in{i}, c_in{i}
.end
.sem   delta_in, u_in, ready, spread_b, spread_c, decayed, mixed, entered, scanned, parted, summed, stored

; ------------------------------------------------------------------------------ loads, by Sync
; delta and u of a tile are loaded as soon as those who read them of the tile before have done.
@sync
    DmaCopy  delta, DELTA[0 : +128]  $delta_in += 16
    DmaCopy  u, U[0 : +128]          $u_in += 16
.for t in 0..TILES
.const next = t + 1
.for s in 0..STATES
.const n = t * STATES + s, i = n % 2
    DmaCopy  a{i}, A[t*128 : +128, s : +1]      $decayed >= max(0, n - 1)           $a_in{i} += 16
.for q in 0..PIECES
.const m = n * PIECES + q, j = m % AHEAD
    DmaCopy  b{j}, B[s : +1, q*WIDTH : +WIDTH]  $spread_b >= max(0, m - AHEAD + 1)  $b_in{j} += 16
.end
.if s == STATES - 1 and next < TILES
    EventSemaphore                              $mixed >= next
    DmaCopy  delta, DELTA[next*128 : +128]      $decayed >= next * STATES           $delta_in += 16
.end
.for q in 0..PIECES
.const m = n * PIECES + q, j = m % AHEAD
    DmaCopy  c{j}, C[s : +1, q*WIDTH : +WIDTH]  $spread_c >= max(0, m - AHEAD + 1)  $c_in{j} += 16
.end
.end
.if next < TILES
    DmaCopy  u, U[next*128 : +128]              $entered >= next * STATES * PIECES  $u_in += 16
.end
.end

; ------------------------------------------------------------------------------ rows, by Tensor
@tensor
    LoadStationary  ones  $ready >= 1
.for n in 0..STEPS
.for q in 0..PIECES
.const m = n * PIECES + q, j = m % AHEAD
    EventSemaphore                   $b_in{j} >= 16 * (m // AHEAD + 1)
    MultiplyMoving  wide_b{j}, b{j}  $entered >= max(0, m - AHEAD + 1)  $spread_b++
.end
.for q in 0..PIECES
.const m = n * PIECES + q, j = m % AHEAD
    EventSemaphore                   $c_in{j} >= 16 * (m // AHEAD + 1)
    MultiplyMoving  wide_c{j}, c{j}  $parted >= max(0, m - AHEAD + 1)   $spread_c++
.end
.end

; ------------------------------------------------------------------------------ decay, by Scalar
@scalar
.for t in 0..TILES
    EventSemaphore  $delta_in >= 16 * (t + 1)
.for s in 0..STATES
.const n = t * STATES + s, i = n % 2
    EventSemaphore  $a_in{i} >= 16 * (n // 2 + 1)
    Activation  decay, delta, op=exp, scale=a{i}  $scanned >= n  $decayed++
.end
.end

; ------------------------------------------------------------------------------ the rest, by Vector
@vector
    Memset  ones, 1.0  $ready++
.for t in 0..TILES
    EventSemaphore                          $delta_in >= 16 * (t + 1)
    TensorTensor  u, delta, u, op=multiply  $u_in >= 16 * (t + 1)  $mixed++
    Memset        sum, 0.0                  $stored >= 16 * t
.for s in 0..STATES
.const n = t * STATES + s
.for q in 0..PIECES
.const m = n * PIECES + q, j = m % AHEAD, from = q * WIDTH
    TensorTensor  work[:, from : +WIDTH], u[:, from : +WIDTH], wide_b{j}, op=multiply     $spread_b >= m + 1  $entered++
.end
    TensorTensorScan  work, decay, work, 0.0, op0=multiply, op1=add  $decayed >= n + 1  $scanned++
.for q in 0..PIECES
.const m = n * PIECES + q, j = m % AHEAD, from = q * WIDTH
    TensorTensor  work[:, from : +WIDTH], work[:, from : +WIDTH], wide_c{j}, op=multiply  $spread_c >= m + 1  $parted++
.end
    TensorTensor  sum, sum, work, op=add  $summed++
.end
.end

; ------------------------------------------------------------------------------ stores, by GpSimd
@gpsimd
.for t in 0..TILES
    DmaCopy  OUT[t*128 : +128], sum, queue=1  $summed >= (t + 1) * STATES  $stored += 16
.end
    EventSemaphore  $stored >= 16 * TILES
