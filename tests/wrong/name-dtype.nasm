.target trn1
.sbuf a bfloat[128, 4]
.sbuf b f64[128, 4]
.sbuf c half[128, 4]
@vector TensorCopy a, b
