.target trn2
.hbm A f32[128, 512] input = iota
.sbuf a f32[128, 512]
.sem ping, pong
.dma load
a <- A
.end
@vector EventSemaphore  $pong >= 1   $ping++
@scalar EventSemaphore  $ping >= 1   $pong++
