.target trn1
.sbuf a bf16[128, 128]
.sbuf b bf16[128, 512]
.psum acc f32[128, 1024] @ bank 0
.sem s
@tensor LoadStationary a
@tensor MultiplyMoving acc[:, 256 : +512], b
