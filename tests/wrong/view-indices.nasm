.target trn1
.sbuf t f32[128, 512]
@vector Memset t[0, 0, 0], 0.0
@vector Memset t[:, 1.5], 0.0
@vector Memset t[:, 0:8.0], 0.0
@vector Memset t[:, 4 : +2 : 2], 0.0
