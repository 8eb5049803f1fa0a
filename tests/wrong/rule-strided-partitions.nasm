.target trn1
.sbuf t f32[128, 512]
@vector Memset t[0:128:2], 0.0
