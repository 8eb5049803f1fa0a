.target trn1
.sbuf t f32[128, 4]
.for k in 0..4
@vector Memset t[:, k], 0.0
