; race: the update is posted at the start, before the result is there
.target trn2
.hbm   Y  f32[128, 512]  output
.sbuf  t  f32[128, 512]
.sem   written, stored
@vector  Memset          t, 1.0                           $written++ @read
;= @vector  Memset          t, 1.0                           $written++
@sync    DmaCopy         Y, t            $written >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
