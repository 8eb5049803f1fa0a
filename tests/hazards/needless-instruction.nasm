; needless: nothing reads what GpSimd writes
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sbuf  u  f32[128, 64]
.sem   loaded, stored
@gpsimd  Memset          u, 1.0
;-
@sync    DmaCopy         t, X                             $loaded += 16
@sync    DmaCopy         Y, t            $loaded >= 16    $stored += 16
@sync    EventSemaphore                  $stored >= 16
