.target trn1
.sbuf a f32[128, 4]
.sbuf b f32[128, 4]
@vector TensorCopy a b
