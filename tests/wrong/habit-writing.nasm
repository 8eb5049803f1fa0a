.target trn1
.sbuf a f32[4, 4]
.sbuf c f32[4, 4]
@vector: Memset c, 0
@vector, Memset c, 0
@vector Memset c, 0 s++
@vector Memset c[0..2], 0
@vector Memset c(0:2), 0
@vector Memset &c, 0
@vector c = a
@vector TensorCopy a -> c
@vector Memset c, 64KB
@vector Memset c, 1us
@vector Memset c, 0x1g
@vector Memset c, 12abcdefgh
.expect c ≈ a
