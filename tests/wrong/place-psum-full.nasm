.target trn1
.psum a f32[128, 512]
.psum b f32[128, 1024]
.psum c f32[128, 256]
.psum d f32[128, 2048]
.psum e f32[128, 768]
