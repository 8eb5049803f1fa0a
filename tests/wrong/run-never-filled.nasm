.target trn1
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
@vector TensorCopy b, a
