.target trn1
.sbuf a f32[128, 4] @ 64:0
.sbuf b f32[128, 4] @ 0:196600
.sbuf c f32[128, 4] @ 0:2
.psum d f32[128, 512] @ bank 8
.sbuf e f32[128, 4] @ bank 1
.psum f f32[128, 1024] @ bank 7
.hbm g f32[128, 4] @ 0:0
