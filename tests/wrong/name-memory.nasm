.target trn1
.sram t f32[128, 4]
.SBUF u f32[128, 4]
@vector TensorCopy t, u
