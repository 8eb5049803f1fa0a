.target trn1
.sbuf a f32[128, 128]
.sbuf b bf16[128, 512]
.psum acc f32[128, 512]
.sem ready
@vector Memset a, 1.0
@vector Memset b, 1.0   $ready++
@tensor LoadStationary a   $ready >= 1
@tensor MultiplyMoving acc, b
