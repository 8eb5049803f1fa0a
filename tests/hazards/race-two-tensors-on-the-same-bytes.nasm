; race: u lies on the second half of t
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.hbm   Z  f32[128, 64]  output
.sbuf  t  f32[128, 64] @ 0:0
.sbuf  u  f32[128, 64] @ 0:128
;= .sbuf  u  f32[128, 64] @ 0:256
.sem   loaded, written, stored
@sync    DmaCopy         t, X                             $loaded += 16
@vector  Memset          u, 1.0                           $written++
@sync    DmaCopy         Y, t            $loaded >= 16    $stored += 16
@sync    DmaCopy         Z, u            $written >= 1    $stored += 16
@sync    EventSemaphore                  $stored >= 32
