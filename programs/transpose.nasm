; Y = X.T by the Tensor engine: each tile passes through the array, bit for bit (from v3 on)
.target trn2
.const P = 128, N = 512, T = N // P

.hbm   X       bf16[P, N]  input = normal(seed=1)
.hbm   Y       bf16[N, P]  output
.sbuf  x       bf16[P, N]
.sbuf  unit    bf16[P, P]
.sbuf  y       bf16[P, T, P]
.psum  turned  bf16[P, T, P]           ; in transpose mode PSUM holds the dtype of the input

@sync    DmaCopy         x, X                                         post loaded

; The identity: ones, of which only the diagonal stays
@vector  Memset          unit, 1                                      post ones
@gpsimd  AffineSelect    unit, unit, [[-1, P]], 1, 0.0, cmp_op=equal   after ones   post identity

.for t in 0..T
@tensor
    LoadStationary  x[:, t*P : +P], is_transpose=true                  after loaded
    MultiplyMoving  turned[:, t], unit, is_transpose=true              after identity   post transposed[t]
@vector  TensorCopy      y[:, t], turned[:, t]   after transposed[t]   post copied[t]
@sync    DmaCopy         Y[t*P : +P], y[:, t]    after copied[t]
.end
@sync    .drain

.expect  Y == X.T
