; race: GpSimd posts 2 where others post 1: the wait for both holds without Vector's
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sem   written, stored
@vector  Memset          t[:, :32], 1.0                   $written++
@gpsimd  Memset          t[:, 32:], 2.0                   $written += 2
;= @gpsimd  Memset          t[:, 32:], 2.0                   $written++
@sync    DmaCopy         Y, t            $written >= 2    $stored += 16
@sync    EventSemaphore                  $stored >= 16
