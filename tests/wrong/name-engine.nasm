.target trn1
.sbuf t f32[128, 4]
@vectr Memset t, 0.0
@cpu Nop
