.target trn1
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sem filled, copied
@vector Memset     a, 1.0          $filled++
@scalar Activation b, a, op=copy   $copied >= 1
