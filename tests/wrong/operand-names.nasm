.target trn1
.sbuf t f32[128, 4]
@vector TensorTensor t, t, t, op=add, op=subtract
@vector TensorTensor t, t, dst=t, data2=t, op=add
@vector TensorTensor dst=t, t, t, op=add
@vector TensorTensor t, t, t, opp=add
@vector TensorTensor t, t, t, operation=add
@vector TensorCopy t, t, accumulators=0
