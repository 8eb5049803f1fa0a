.target trn1
.hbm X f32[128, 4] input = "x.npy
