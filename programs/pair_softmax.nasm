; Y = softmax(A.T @ B) on the two cores of a pair: each multiplies half of the columns, then takes half
; of the rows. A softmax needs whole rows, so each core needs what the other has made.
; Shows: .core, one text for both cores, results in the HBM they share, and a barrier between the halves.
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
.sem   loaded{c}, multiplied{c}, copied{c}, stored{c}, met{c}, back{c}, ready{c}, out{c}

@sync    DmaCopy         a{c}, A                                              $loaded{c} += 16
@sync    DmaCopy         b{c}, B[:, c*HALF : +HALF]                           $loaded{c} += 16
@tensor  LoadStationary  a{c}                            $loaded{c} >= 32
@tensor  MultiplyMoving  acc{c}, b{c}                                         $multiplied{c}++
@vector  TensorCopy      half{c}, acc{c}                 $multiplied{c} >= 1  $copied{c}++
@sync    DmaCopy         S[:, c*HALF : +HALF], half{c}   $copied{c} >= 1      $stored{c} += 16

; The barrier orders nothing by itself: this core's half has landed before it, and nothing reads S
; before it is over.
@gpsimd  CoreBarrier     S                       $stored{c} >= 16          $met{c}++
@sync    DmaCopy         rows{c}, S[c*ROWS : +ROWS, :]   $met{c} >= 1      $back{c} += 16

@vector  TensorReduce    nmax{c}, rows{c}, op=maximum, axis=1, negate=true   $back{c} >= 16    $ready{c}++
@scalar  EventSemaphore                                                      $ready{c} >= 1
@scalar  Activation      rows{c}, rows{c}, op=exp, bias=nmax{c}, reduce_op=add, reduce_res=total{c}, reduce_cmd=reset_reduce  $ready{c}++
@vector  Reciprocal      total{c}, total{c}                                  $ready{c} >= 2
@vector  TensorScalar    rows{c}, rows{c}, op0=multiply, operand0=total{c}                     $ready{c}++
@sync    DmaCopy         Y[c*ROWS : +ROWS, :], rows{c}                       $ready{c} >= 3    $out{c} += 16
@sync    EventSemaphore                                                      $out{c} >= 16
.end

.expect  S ~ A.T @ B               rtol=1e-5
.expect  Y ~ softmax(S, axis=1)    rtol=1e-4 atol=1e-9
.expect  cycles(sync, core=0) <= 20_000
.expect  cycles(sync, core=1) <= 20_000
