.target trn1
.sbuf a f32[4, 4]
.sbuf c f32[4, 4]
.sbuf m f32[4, 1]
.equ X, 4
.repeat 4
    @vector Memset c, 0
.endr
.section text
.align 16
.buffer b, 4
