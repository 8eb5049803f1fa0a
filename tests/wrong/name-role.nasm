.target trn1
.hbm A f32[128, 4] inptu = zeros
.hbm B f32[128, 4] in
.sbuf t f32[128, 4] output
