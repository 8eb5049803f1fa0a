.target trn1
.sbuf a f32[128, 512]
.sbuf w e4m3fn[128, 128]
@scalar TensorCopy a, a
@tensor LoadStationary w
