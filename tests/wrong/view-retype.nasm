.target trn1
.sbuf t f32[128, 512]
.sbuf b u8[128, 6]
@vector Memset t[:, 0:512:2].view(u8), 0
@vector Memset b.view(f32), 0.0
@vector Memset t.view(fp64), 0.0
