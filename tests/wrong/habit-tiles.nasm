.target trn1
.sbuf a f32[4, 4]
.sbuf c f32[4, 4]
.sbuf m f32[4, 1]
@scalar Activation c, a, op=exp, bias=-m
@vector TensorCopy c, a + c
@vector TensorCopy c, 2 * a
@vector TensorCopy c, a ** 3
@vector TensorCopy c, a << 1
@vector TensorCopy c, a < c
