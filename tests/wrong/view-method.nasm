.target trn1
.sbuf t f32[128, 512]
@vector Memset t.reshap(128, 2, 256), 0.0
@vector Memset t.T(), 0.0
@vector Memset t.view, 0
@vector Memset t.view(u8, 2), 0
@vector Memset t.shape, 0
