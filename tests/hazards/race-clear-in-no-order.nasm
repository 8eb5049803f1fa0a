; counter: the clear may come before or after the update that is to follow it
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sem   written = 8, stored = 9, ready = 10
@vector  Memset          t, 1.0                           $written++
;= @vector  Memset          t, 1.0          $ready >= 1      $written++
@gpsimd  EventSemaphoreRangeClear 8, 8                    $ready++
@sync    DmaCopy         Y, t            $written >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
