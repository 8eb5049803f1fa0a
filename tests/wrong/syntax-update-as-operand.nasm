.target trn1
.sbuf t f32[128, 4]
.sem ready
@vector Memset t, 0.0, $ready++
