.target trn1
.sbuf a f32[4, 4]
.sbuf c f32[4, 4]
.sbuf m f32[4, 1]
@vector Memset a 0
@vector Memset missing, 0
@vector Memset c, 0  $nobody += 1
