.target trn1
.hbm A f32[128, 4] input = zeros
.sbuf a f32[128, 4]
.sbuf b f32[128, 8]
.dma one queue=16
a <- A
.end
.dma two ring=1
a <- A
.end
.dma three
b <- A
.end
.dma four
a <- 3
.end
.sem s
@sync DmaTrigger one    $s += 16
@sync DmaTrigger three  $s += 16
@sync DmaTrigger five   $s += 16
