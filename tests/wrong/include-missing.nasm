.target trn1
.include "other.nasm"
.sbuf  t  f32[128, 4]
@vector  Memset  t, 0.0
@vector  Memset  from_other, 0.0    ; not said: it may be declared in what is missing
