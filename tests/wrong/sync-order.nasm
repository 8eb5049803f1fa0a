.target trn1
.sbuf t f32[128, 4]
.sem a, b
@vector Memset t, 0.0  $a++  $b >= 1
