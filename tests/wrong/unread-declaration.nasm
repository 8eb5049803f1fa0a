.target trn1
.sbuf a f32[4, 4]
.sbuf c f32[4, 4]
.sbuf m f32[4, 1]
.sbuf t f32[4 4]
@vector Memset t, 0
