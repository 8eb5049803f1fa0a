.target trn1
.sbuf a f32[4, 4]
.sbuf c f32[4, 4]
.sbuf m f32[4, 1]
@vector TensorScalar c, a, m, op=multiply
@vector TensorScalar c, a, m, op0=multiply
@vector TensorScalar c, a, op0=multiply, operand0=m
