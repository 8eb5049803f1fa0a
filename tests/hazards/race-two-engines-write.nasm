; race: two engines write one tile, in no order
.target trn2
.hbm   Y  f32[128, 512]  output
.sbuf  t  f32[128, 512]
.sem   written, stored
@gpsimd  Memset          t, 1.0                           $written++
@vector  Memset          t[:, :8], 2.0                    $written++
;= @vector  Memset          t[:, :8], 2.0   $written >= 1    $written++
@sync    DmaCopy         Y, t            $written >= 2    $stored += 16
@sync    EventSemaphore                  $stored >= 16
