.target trn1
.sbuf a f32[128, 4]
@vector tensor_tensor a, a, a, op=add
@vector tensor_reduce a[:, 0:1], a, op=add, axis=1
@scalar activation a, a, op=exp
