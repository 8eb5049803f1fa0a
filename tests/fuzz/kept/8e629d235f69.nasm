.target trn3
.sbuf  chance f32[128, 8]
@vector DmaCopy chance, -1.0, 1.0
