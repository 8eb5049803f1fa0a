.target trn1
.sbuf a f32[128, 64]
.sbuf b f32[64, 64]
.sbuf c f32[128, 32]
@vector TensorTensor a, a, b, op=add
@vector TensorTensor a, a, c, op=add
@vector TensorCopy b, a
