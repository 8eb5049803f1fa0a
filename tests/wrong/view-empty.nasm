.target trn1
.sbuf t f32[128, 512]
@vector Memset t[:, 64:64], 0.0
@vector Memset t[:, 64:0], 0.0
@vector Memset t[:, 0 : +0], 0.0
@vector Memset t[:, 0:64:0], 0.0
