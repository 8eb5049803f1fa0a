.target trn1
.sem s
@vector Memset t, 0.0  $s++
.sbuf t f32[128, 4]
