.target trn1
.sbuf t f32[128, 512]
@vector Memset t.reshape(64, 1024), 0.0
@vector Memset t.reshape(128, 16, 30), 0.0
@vector Memset t[:, 0:512:2].reshape(128, 512), 0.0
@vector Memset t.reshape(), 0.0
@vector Memset t.reshape(128, -1, -1), 0.0
@vector Memset t.reshape(128, 2.5), 0.0
