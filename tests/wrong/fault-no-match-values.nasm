.target trn1
.sbuf x f32[128, 512]
.sbuf at u32[128, 8]
@vector Memset x, 0.0
@vector FindIndex8 at, x
