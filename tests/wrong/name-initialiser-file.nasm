.target trn1
.hbm A f32[128, 4] input = "no-such-file.npy"
