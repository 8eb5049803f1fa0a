; race: a wait for 0 holds from the beginning
.target trn2
.const READY = 0
;= .const READY = 1
.hbm   Y  f32[128, 512]  output
.sbuf  t  f32[128, 512]
.sem   written, stored
@vector  Memset          t, 1.0                           $written++
@sync    DmaCopy         Y, t            $written >= READY   $stored += 16
@sync    EventSemaphore                  $stored >= 16
