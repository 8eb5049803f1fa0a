.target trn1
.sbuf t f32[128, 4, 8]
@vector Memset t.permute(2, 1, 0), 0.0
@vector Memset t.permute(0, 2), 0.0
@vector Memset t.T, 0.0
