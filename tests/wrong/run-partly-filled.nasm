.target trn1
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
@vector Memset a[:, 0:256], 0.0
@vector TensorCopy b, a
