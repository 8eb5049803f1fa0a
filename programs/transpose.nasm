; Y = X.T by the Tensor engine: each tile passes through the array, bit for bit (from v3 on)
.target trn2
.const P = 128, N = 512, T = N // P

.hbm   X     bf16[P, N]  input = normal(seed=1)
.hbm   Y     bf16[N, P]  output
.sbuf  x     bf16[P, N]
.sbuf  unit  bf16[P, P]
.sbuf  y     bf16[P, T, P]
.psum  turned bf16[P, T, P]            ; in transpose mode PSUM holds the dtype of the input
.sem   loaded, ready, transposed, copied, stored

@sync    DmaCopy         x, X                                         $loaded += 16

; The identity: ones, of which only the diagonal stays
@vector  Memset          unit, 1                                      $ready++
@gpsimd  AffineSelect    unit, unit, [[-1, P]], 1, 0.0, cmp_op=equal   $ready >= 1   $ready++

@tensor  EventSemaphore  $loaded >= 16
@tensor  EventSemaphore  $ready >= 2
.for t in 0..T
@tensor
    LoadStationary  x[:, t*P : +P], is_transpose=true
    MultiplyMoving  turned[:, t], unit, is_transpose=true              $transposed++
@vector  TensorCopy      y[:, t], turned[:, t]   $transposed >= t + 1  $copied++
@sync    DmaCopy         Y[t*P : +P], y[:, t]    $copied >= t + 1      $stored += 16
.end
@sync    EventSemaphore  $stored >= 16 * T

.expect  Y == X.T
