.target trn1
.sbuf a f32[128, 4]
@vector TENSOR_TENSOR a, a, a, op=add
@scalar ACTIVATE a, a, op=exp
