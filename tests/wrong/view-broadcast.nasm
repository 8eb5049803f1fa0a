.target trn1
.sbuf t f32[128, 4]
.sbuf u f32[128, 8]
@vector TensorCopy u, t.broadcast(128, 8)
@vector TensorCopy u, t.broadcast(8)
