.target trn1
.sbuf a f32[4, 4]
.sbuf c f32[4, 4]
.sbuf m f32[4, 1]
// a note
@vector Memset c, 0 // note
@vector Memset c, 0 // fill it
/* a note */
@vector Memset c, 8 // 3
