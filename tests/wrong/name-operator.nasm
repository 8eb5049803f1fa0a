.target trn1
.sbuf a f32[128, 4]
@vector TensorTensor a, a, a, op=mul
@vector TensorTensor a, a, a, op=plus
@vector TensorTensor a, a, a, op=Add
@vector TensorTensor a, a, a, op=+
