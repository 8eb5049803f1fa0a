.target trn1
.sbuf a f32[128, 512] @ 0:0
.sbuf b f32[128, 1024] @ 0:0
.sbuf c f32[128, 512]
.sem s
@gpsimd Memset b, 1.0   $s++
@vector TensorCopy c, a
