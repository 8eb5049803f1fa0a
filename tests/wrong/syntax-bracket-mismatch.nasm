.target trn1
.sbuf t f32[128, 512]
@vector Memset t[0:64), 0.0
