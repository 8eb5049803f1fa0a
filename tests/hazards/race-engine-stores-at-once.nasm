; race: an engine writes t and stores it at once: no interlock sees a transfer
.target trn2
.hbm   Y  f32[128, 512]  output
.sbuf  t  f32[128, 512]
.sem   written, stored
@gpsimd  Memset          t, 1.0                           $written++
@gpsimd  DmaCopy         Y, t                             $stored += 16
;= @gpsimd  DmaCopy         Y, t            $written >= 1    $stored += 16
@gpsimd  EventSemaphore                  $stored >= 16
