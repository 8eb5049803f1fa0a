.target trn1
.sbuf t f32[128, 512]
@vector Memset t.ap([[1, 128], [1, 512]]), 0.0
@vector Memset t.ap([[512, 128], [1, 513]]), 0.0
@vector Memset t.ap([512, 128]), 0.0
@vector Memset t.ap([[512, 128], [1, 0]]), 0.0
