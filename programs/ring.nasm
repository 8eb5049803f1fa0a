; C = A.T @ B with K split over the two cores of a pair: an all-reduce of two partial sums, in a ring.
; Each core sums its half of K. Then the ring: half of the columns goes to the other core, which adds it
; to its own (reduce-scatter), and the sum comes back (all-gather). In the end both cores hold all of C.
; Shows: SendRecv by the DMA engines and by GpSimd itself, RankId, an event, an update across cores.
.target trn2
.const K = 256, M = 128, N = 512, PART = K // 2, HALF = N // 2

.hbm   A     bf16[K, M]  input = normal(seed=1)
.hbm   B     bf16[K, N]  input = normal(seed=2)
.hbm   C     f32[M, N]   output
.hbm   RANK  i32[2]      output

.core 0
.sem   checked                             ; core 1 tells core 0 that it holds the sum too

.for c in 0..2
.core  c
.const OTHER = 1 - c, MINE = c * HALF, THEIRS = (1 - c) * HALF
.sbuf   a{c}      bf16[PART, M]
.sbuf   b{c}      bf16[PART, N]
.sbuf   sum{c}    f32[M, N]                ; this core's partial sum, and then the whole
.sbuf   got{c}    f32[M, HALF]
.psum   acc{c}    f32[M, N]
.event  gathered{c}

@sync    DmaCopy         a{c}, A[c*PART : +PART, :]                            post a[c]
@sync    DmaCopy         b{c}, B[c*PART : +PART, :]                            post b[c]
@tensor  LoadStationary  a{c}                         after a[c]
@tensor  MultiplyMoving  acc{c}, b{c}                 after b[c]               post multiplied[c]
@vector  TensorCopy      sum{c}, acc{c}               after multiplied[c]      post copied[c]

@gpsimd  SendRecv        got{c}, sum{c}[:, THEIRS : +HALF], send_to_rank=OTHER, recv_from_rank=OTHER, pipe_id=0  after copied[c]     post exchanged[c]
@vector  TensorTensor    sum{c}[:, MINE : +HALF], sum{c}[:, MINE : +HALF], got{c}, op=add                        after exchanged[c]  post added[c]

; 256 float32 are all that GpSimd's own DMA engine takes per partition; it is the quicker way.
@gpsimd  SendRecv        sum{c}[:, THEIRS : +HALF], sum{c}[:, MINE : +HALF], send_to_rank=OTHER, recv_from_rank=OTHER, pipe_id=1, dma_engine=gpsimd_dma  after added[c]  $gathered{c} = 1

; A moment is one core's; what the other core waits for is an event or a semaphore by its name.
@scalar  RankId          %r0                          $gathered{c} == 1
@scalar  TensorStore     RANK[c : +1], %r0                                 $checked++
.end

.core 0
@sync    DmaCopy         C, sum0                      $checked >= 2
@sync    .drain

.expect  C ~ A.T @ B       rtol=1e-4 atol=1e-4
.expect  sum0 == sum1
.expect  RANK == [0, 1]
.expect  stalls(gpsimd, core=1) <= 8_000
