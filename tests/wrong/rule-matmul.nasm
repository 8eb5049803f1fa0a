.target trn1
.sbuf a bf16[128, 256]
.sbuf b bf16[128, 1024]
.sbuf i i32[128, 128]
.sbuf out f32[128, 512]
.psum acc bf16[128, 512]
.psum wide f32[128, 1024]
.psum p bf16[128, 128]
@tensor LoadStationary a
@tensor LoadStationary i
@tensor LoadStationary p
@tensor MultiplyMoving wide, b
@tensor MultiplyMoving out, b[:, 0:512]
@tensor MultiplyMoving acc, b[:, 0:512]
@tensor MultiplyMoving wide[:, 0:256], b[:, 0:512]
@tensor MultiplyMoving wide[:, 0:128], p
