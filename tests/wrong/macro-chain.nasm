.target trn1
.macro column(x, at)
    @vector  Memset  x[:, at : +1], 0.0
.end
.macro row(x, from=0)
    .for k in 0..3
        column(x, from + k)
    .end
.end
.sbuf  t  f32[128, 4]
.for j in 0..2
    row(t, from=2 * j)
.end
