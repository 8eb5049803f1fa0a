.target trn1
.sem a
.sbuf t f32[128, 4]
@vector Nop  $a >= 1.5
@vector Nop  $a += 2**31
@vector Nop  $a >= t
