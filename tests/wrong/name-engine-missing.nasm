.target trn1
.sbuf t f32[128, 4]
.sbuf u f32[128, 4]
Memset t, 0.0
TensorCopy u, t
@sync Nop
