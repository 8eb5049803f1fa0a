.target trn1
.cosnt N = 512
.sbuf t f32[128, N]
