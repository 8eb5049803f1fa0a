.target trn1
.sbuf t f32[128, 512]
.for row in 0..2
.for col in 0..4
@vector Memset t[:, col*128 + row*256 : +128], 0.0
.end
.end
