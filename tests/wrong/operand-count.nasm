.target trn1
.sbuf t f32[128, 4]
@vector TensorCopy t
@vector TensorCopy t, t, t
@vector TensorTensor t, t, t
@vector Memset
