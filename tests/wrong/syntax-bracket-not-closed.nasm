.target trn1
.sbuf t f32[128, 512
.sem s
@vector Memset t, 0.0  $s++
