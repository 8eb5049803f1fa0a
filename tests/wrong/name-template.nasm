.target trn1
.const H = 1 / 2
.sbuf t{H} f32[128, 4]
@vector Memset t{H}, 0.0
