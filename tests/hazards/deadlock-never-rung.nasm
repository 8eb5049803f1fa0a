; deadlock: a transfer is declared and waited for, and nothing starts it
.target trn2
.hbm   X  f32[128, 64]  input = iota
.hbm   Y  f32[128, 64]  output
.sbuf  t  f32[128, 64]
.sem   loaded, stored
.dma load
    t <- X
.end
;+ @sync    DmaTrigger      load                             $loaded += 16
@sync    DmaCopy         Y, t            $loaded >= 16    $stored += 16
@sync    EventSemaphore                  $stored >= 16
