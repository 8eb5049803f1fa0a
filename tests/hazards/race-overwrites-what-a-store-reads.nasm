; race: Vector fills t anew while the store still reads it
.target trn2
.hbm   Y  f32[128, 512]  output
.hbm   Z  f32[128, 512]  output
.sbuf  t  f32[128, 512]
.sem   written, stored
@vector  Memset          t, 1.0                           $written++
@sync    DmaCopy         Y, t            $written >= 1    $stored += 16
@vector  Memset          t, 2.0                           $written++
;= @vector  Memset          t, 2.0          $stored >= 16    $written++
@sync    DmaCopy         Z, t            $written >= 2    $stored += 16
@sync    EventSemaphore                  $stored >= 32
