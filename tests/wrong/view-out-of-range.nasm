.target trn1
.sbuf t f32[128, 512]
.sem s
@vector Memset t[0:129], 0.0
@vector Memset t[:, 500:520], 0.0
@vector Memset t[:, 512], 0.0
@vector Memset t[:, -513], 0.0
@vector Memset t[:, 384 : +256], 0.0
