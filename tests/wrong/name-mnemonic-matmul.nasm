.target trn1
.sbuf a bf16[128, 128]
.psum acc f32[128, 128]
@tensor MatMul acc, a, a
@tensor nc_matmul acc, a, a
@tensor LDWEIGHTS a
@tensor Matmult acc, a
