.target trn1
.sbuf a f32[128, 4]
@vector Tensortensor a, a, a, op=add
@vector tensorCopy a, a
