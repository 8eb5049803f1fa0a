.target trn1
.sbuf t f32[128, 4]
.for k in 0..3
@vector Memset t[:, k+3 : +2], 0.0
@vector Memset t{k}, 0.0
@vektor Nop
.end
