; needless: nothing waits for what Vector posts
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sem   loaded, seen, stored
@sync    DmaCopy         t, X                             $loaded += 16
@vector  EventSemaphore                  $loaded >= 16    $seen++
;-
@sync    DmaCopy         Y, t            $loaded >= 16    $stored += 16
@sync    EventSemaphore                  $stored >= 16
