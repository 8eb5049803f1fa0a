.target trn1
.hbm A f32[128, 4] input = zeros
.sbuf a f32[128, 4]
.dma load
a = A
.end
@sync DmaTrigger load
