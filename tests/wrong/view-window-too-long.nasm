.target trn1
.sbuf t f32[128, 512]
@vector RegisterMove %r1, 0
@vector Memset t[:, %r1 : +600], 0.0
@vector Memset t[:, %r1 : 8], 0.0
