.target trn1
.const K = N // 4
.const N = 512
.sbuf t f32[128, K]
@vector Memset t, 0.0
