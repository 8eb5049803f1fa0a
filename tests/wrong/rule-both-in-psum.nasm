.target trn1
.psum a f32[128, 512]
.psum b f32[128, 512]
.sbuf c f32[128, 512]
@vector TensorTensor c, a, b, op=add
