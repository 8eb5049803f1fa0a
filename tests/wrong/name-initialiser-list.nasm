.target trn1
.hbm A f32[2, 2] input = [[1, 2], [3]]
.hbm B f32[2, 2] input = [1, 2, 3]
