.target trn1
.sbuf t f32[128, 512]
.sbuf u f32[64, 512] @ 48:4096
@vector Memset t[16:48], 0.0
@vector Memset t[32:128], 0.0
@vector Memset u, 0.0
