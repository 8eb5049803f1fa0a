.target trn1
.hbm A f32[128, 512] input = zeros
.sbuf a f32[128, 512]
.sem s
@sync DmaCopy a, A  $s++
@sync DmaCopy a, A  $s += 1
@sync DmaCopy a, A  $s += 32
@sync DmaCopy a, A  $s = 16
@sync DmaCopy a, A  $s += 16 @read
