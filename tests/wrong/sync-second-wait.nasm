.target trn1
.sbuf t f32[128, 4]
.sem a, b
@vector Memset t, 0.0  $a >= 1 $b >= 1
@vector Memset t, 0.0  $a++ $b++
