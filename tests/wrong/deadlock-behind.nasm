.target trn1
.sbuf a f32[128, 512]
.sem ready, filled
@vector
Nop           $ready >= 1
Memset a, 1.0 $filled++
@scalar Nop   $filled >= 1
