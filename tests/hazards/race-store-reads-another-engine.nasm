; race: a store does not wait for the engine that computes what it stores
.target trn2
.hbm   Y  f32[128, 2048]  output
.sbuf  t  f32[128, 2048]
.sem   written, stored
@vector  Memset          t, 1.0                           $written++
@sync    DmaCopy         Y, t                             $stored += 16
;= @sync    DmaCopy         Y, t            $written >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 16
