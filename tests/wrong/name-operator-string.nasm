.target trn1
.sbuf a f32[128, 4]
@vector TensorTensor a, a, a, op="add"
@vector TensorTensor a, a, a, add
@vector TensorTensor a, a, a, op=1
