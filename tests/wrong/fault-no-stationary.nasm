.target trn1
.sbuf b bf16[128, 512]
.psum acc f32[128, 512]
.sem filled
@vector Memset b, 0.0   $filled++
@tensor MultiplyMoving acc, b   $filled >= 1
