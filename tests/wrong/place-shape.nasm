.target trn1
.sbuf a f32[256, 4]
.sbuf b f32[0, 4]
.sbuf c f32[2.0, 4]
.sbuf d f32[128, 4 > 2]
.sbuf e f32[128, 2**50]
.sbuf f f32[128, "four"]
