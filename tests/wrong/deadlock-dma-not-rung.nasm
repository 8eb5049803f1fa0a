.target trn1
.hbm A f32[128, 512] input = iota
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sem loaded
.dma load
a <- A
.end
@vector TensorCopy b, a   $loaded >= 16
