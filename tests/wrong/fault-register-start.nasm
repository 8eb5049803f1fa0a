.target trn1
.sbuf t f32[128, 512]
@vector
RegisterMove %r1, 500
Memset t[:, %r1 : +64], 0.0
