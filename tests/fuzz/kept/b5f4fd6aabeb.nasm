.target trn1
.hbm   X  f32[128, 64]  input = iota
.sbuf  t  f32[128, 64]
.sem   loaded
.dma  load  queue=2
    t[0:128]   <- X[0:64]
    t[64:128] <- X[64:128]
.end
@vector  DmaTrigger      load              $loaded += 64
@vector  EventSemaphore         $loaded >= 16
.expect  t == X
