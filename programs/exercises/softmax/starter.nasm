; Y = softmax(X): e ** x over the sum of e ** x, row by row
.target trn1
.hbm   X  f32[128, 512]  input = normal(seed=3)
.hbm   Y  f32[128, 512]  output
.sbuf  x  f32[128, 512]

@sync  DmaCopy  x, X   post loaded
; your part
@sync  DmaCopy  Y, x   after loaded
@sync  .drain
