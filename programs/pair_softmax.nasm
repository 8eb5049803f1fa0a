; Y = softmax(A.T @ B) on the two cores of a pair: each multiplies half of the columns, then takes half
; of the rows. A softmax needs whole rows, so each core needs what the other has made.
; Shows: .core, one text for both cores, results in the HBM they share, a barrier between the halves,
; and moments that belong to a core: each waits for its own.
.target trn2
.const K = 128, M = 128, N = 1024, HALF = N // 2, ROWS = M // 2

.hbm   A   bf16[K, M]  input = random(seed=1)
.hbm   B   bf16[K, N]  input = random(seed=2)
.hbm   S   f32[M, N]
.hbm   Y   f32[M, N]   output

.for c in 0..2
.core  c
.sbuf  a{c}      bf16[K, M]
.sbuf  b{c}      bf16[K, HALF]
.sbuf  half{c}   f32[M, HALF]              ; all rows, this core's columns,
.sbuf  rows{c}   f32[ROWS, N]              ; and this core's rows, all columns
.sbuf  nmax{c}   f32[ROWS, 1]
.sbuf  total{c}  f32[ROWS, 1]
.psum  acc{c}    f32[M, HALF]

@sync    DmaCopy         a{c}, A                                                post a[c]
@sync    DmaCopy         b{c}, B[:, c*HALF : +HALF]                             post b[c]
@tensor  LoadStationary  a{c}                           after a[c]
@tensor  MultiplyMoving  acc{c}, b{c}                   after b[c]              post multiplied[c]
@vector  TensorCopy      half{c}, acc{c}                after multiplied[c]     post copied[c]
@sync    DmaCopy         S[:, c*HALF : +HALF], half{c}  after copied[c]         post stored[c]

; The barrier orders nothing by itself: this core's half has landed before it, and nothing reads S
; before it is over.
@gpsimd  CoreBarrier     S                              after stored[c]         post met[c]
@sync    DmaCopy         rows{c}, S[c*ROWS : +ROWS, :]  after met[c]            post back[c]

@vector  TensorReduce    nmax{c}, rows{c}, op=maximum, axis=1, negate=true  after back[c]  post highest[c]
@scalar  Activation      rows{c}, rows{c}, op=exp, bias=nmax{c}, reduce_op=add, reduce_res=total{c}, reduce_cmd=reset_reduce  after highest[c]  post raised[c]
@vector  Reciprocal      total{c}, total{c}                                 after raised[c]
@vector  TensorScalar    rows{c}, rows{c}, op0=multiply, operand0=total{c}                 post divided[c]
@sync    DmaCopy         Y[c*ROWS : +ROWS, :], rows{c}                      after divided[c]
@sync    .drain
.end

.expect  S ~ A.T @ B               rtol=1e-5
.expect  Y ~ softmax(S, axis=1)    rtol=1e-4 atol=1e-9
.expect  cycles(sync, core=0) <= 20_000
.expect  cycles(sync, core=1) <= 20_000
