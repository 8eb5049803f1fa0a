.target trn1
.sbuf t f32[1, 8]
.core 1
@gpsimd Memset t, 1.0
@gpsimd CoreBarrier t
