; host: the last store is in flight when every queue is done
.target trn2
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sem   written, stored
@vector  Memset          t, 1.0                           $written++
@sync    DmaCopy         Y, t            $written >= 1    $stored += 16
;+ @sync    EventSemaphore                  $stored >= 16
