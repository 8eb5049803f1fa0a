; C = A + B in COUNT pieces of [P,F] float32: of each, two loads, an add and a store.
; With TILED the vectors are cut into runs of P elements, one in each partition, and an add takes one
; tile as a value per partition. Without, they are [P, COUNT * F], and a piece is F columns.
;
; Every tile exists BUFFERS times. Sync issues everything: the loads of the first pieces, then in
; turn the store of a piece and the loads of the piece that comes next to its buffers.
.target trn2
.const COUNT = 6, P = 128, F = 4, TILED = 0, BUFFERS = 2
.const FIRST = min(BUFFERS, COUNT)
.assert COUNT > 0, "COUNT must be at least 1, the pieces"
.assert not TILED or F == 1, "F must be 1 where a tile is one value per partition"

.hbm  A  f32[P, COUNT * F]  input = normal(seed=1)
.hbm  B  f32[P, COUNT * F]  input = normal(seed=2)
.hbm  C  f32[P, COUNT * F]  output

.for i in 0..FIRST
.sbuf  a{i}  f32[P, F]
.sbuf  b{i}  f32[P, F]
.sbuf  c{i}  f32[P, F]
.sem   loaded{i}, stored{i}
.end
.sem   added

@sync
.for k in 0..FIRST
.if TILED
    DmaCopy  a{k}, A.reshape(COUNT, P, 1)[k]  $loaded{k} += 16
    DmaCopy  b{k}, B.reshape(COUNT, P, 1)[k]  $loaded{k} += 16
.else
    DmaCopy  a{k}, A[:, k*F : +F]             $loaded{k} += 16
    DmaCopy  b{k}, B[:, k*F : +F]             $loaded{k} += 16
.end
.end
.for k in 0..COUNT
.const i = k % BUFFERS, next = k + BUFFERS
.if TILED
    DmaCopy  C.reshape(COUNT, P, 1)[k], c{i}  $added >= k + 1  $stored{i} += 16
.if next < COUNT
    DmaCopy  a{i}, A.reshape(COUNT, P, 1)[next]                $loaded{i} += 16
    DmaCopy  b{i}, B.reshape(COUNT, P, 1)[next]                $loaded{i} += 16
.end
.else
    DmaCopy  C[:, k*F : +F], c{i}             $added >= k + 1  $stored{i} += 16
.if next < COUNT
    DmaCopy  a{i}, A[:, next*F : +F]                           $loaded{i} += 16
    DmaCopy  b{i}, B[:, next*F : +F]                           $loaded{i} += 16
.end
.end
.end
.for i in 0..FIRST
    EventSemaphore  $stored{i} >= 16 * ceil_div(COUNT - i, BUFFERS)
.end

@vector
.for k in 0..COUNT
.const i = k % BUFFERS, round = k // BUFFERS
    EventSemaphore  $loaded{i} >= 32 * (round + 1)
.if TILED
    TensorScalar  c{i}, a{i}, op0=add, operand0=b{i}  $stored{i} >= 16 * round  $added++
.else
    TensorTensor  c{i}, a{i}, b{i}, op=add            $stored{i} >= 16 * round  $added++
.end
.end

.expect  C == A + B
