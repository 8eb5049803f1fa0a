.target trn1
.sbuf weights f32[128, 32768]
.sbuf row     f32[64, 1024] @ 64:140000
.sbuf images  f32[128, 16384]
@vector Memset weights, 0.0
