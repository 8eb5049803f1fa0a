.target trn1
.sbuf a f32[128, 512]
@vector Memset a, 1.0
@gpsimd Memset a, 2.0
