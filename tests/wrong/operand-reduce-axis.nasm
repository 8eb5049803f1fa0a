.target trn1
.sbuf t f32[128, 4, 8]
.sbuf r f32[128, 4]
@vector TensorReduce r, t, op=add, axis=1
@vector TensorReduce r, t, op=add, axis=0
@vector TensorReduce r[:, 0:1], t, op=add, axis=2
