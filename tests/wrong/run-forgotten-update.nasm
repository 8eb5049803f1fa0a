.target trn1
.hbm A f32[128, 512] input = iota
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
@sync   DmaCopy    a, A
@vector TensorCopy b, a
