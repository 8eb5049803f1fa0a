; Z = X + Y, in sequential order
.target trn2
.hbm   X  f32[128, 256]  input = normal(seed=1)
.hbm   Y  f32[128, 256]  input = normal(seed=2)
.hbm   Z  f32[128, 256]  output
.sbuf  x  f32[128, 256]

@sync  DmaCopy  x, X
; your part
