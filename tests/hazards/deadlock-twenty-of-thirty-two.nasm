; deadlock: transfers post multiples of 16, and there is one
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sem   loaded, stored
@sync    DmaCopy         t, X                             $loaded += 16
@sync    DmaCopy         Y, t            $loaded >= 20    $stored += 16
;= @sync    DmaCopy         Y, t            $loaded >= 16    $stored += 16
@sync    EventSemaphore                  $stored >= 16
