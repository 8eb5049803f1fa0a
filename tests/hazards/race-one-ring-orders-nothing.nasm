; race: both transfers go through one ring, and only semaphores order data
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sem   loaded, stored
@sync    DmaCopy         t, X, queue=1                    $loaded += 16
@sync    DmaCopy         Y, t, queue=1                    $stored += 16
;= @sync    DmaCopy         Y, t, queue=1   $loaded >= 16    $stored += 16
@sync    EventSemaphore                  $stored >= 16
