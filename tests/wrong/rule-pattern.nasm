.target trn1
.sbuf t f32[128, 2, 3, 4, 5, 6]
.sbuf u bf16[128, 70000]
@vector Memset t[:, :, 0:3:2, 0:4:3, 0:5:4, 0:6:5], 0.0
@vector Memset u[:, 0:66000], 0.0
@vector Memset u[:, 0:65537:65536], 0.0
