; data: the loop stops one round early, and a quarter of the output is not written
.target trn2
.const N = 4
.hbm   Y  f32[128, N * 64]  output
.sbuf  t  f32[128, 64]
.sem   written, stored
@vector  Memset          t, 1.0                           $written++
@sync    EventSemaphore                  $written >= 1
.for k in 0..N - 1
;= .for k in 0..N
@sync    DmaCopy         Y[:, k*64 : +64], t              $stored += 16
.end
@sync    EventSemaphore                  $stored >= 16 * (N - 1)
;= @sync    EventSemaphore                  $stored >= 16 * N
