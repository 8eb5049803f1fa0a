; race: round k waits for k posts where it needs k + 1
.target trn2
.const N = 3
.hbm   X  f32[128, N * 64]  input = iota
.hbm   Y  f32[128, N * 64]  output
.sbuf  t  f32[128, N * 64]
.sbuf  u  f32[128, N * 64]
.sem   loaded, copied, stored
@sync    DmaCopy         t, X                             $loaded += 16
.for k in 0..N
@vector  TensorCopy      u[:, k*64 : +64], t[:, k*64 : +64]   $loaded >= 16   $copied++
@sync    DmaCopy         Y[:, k*64 : +64], u[:, k*64 : +64]   $copied >= k    $stored += 16
;= @sync    DmaCopy         Y[:, k*64 : +64], u[:, k*64 : +64]   $copied >= k + 1    $stored += 16
.end
@sync    EventSemaphore                  $stored >= 16 * N
